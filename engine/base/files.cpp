// SPDX-License-Identifier: Apache-2.0
#include "engine/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/text.h"

namespace parapet {
namespace {

constexpr std::size_t kWriteBufferBytes = 1 << 20;

Status writeAll(int descriptor, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Error ioError(std::string_view verb, const std::filesystem::path& path, int errorNumber) {
  const ErrorCode code = errorNumber == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return Error{code,
               fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(errorNumber)),
               {},
               path.string()};
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // A FIFO that nobody writes to would be waited for without end.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return ioError("open", path, errno);
  struct stat info {};
  const int inspected = ::fstat(descriptor, &info);
  if (inspected != 0 || !S_ISREG(info.st_mode)) {
    const int reason = inspected != 0 ? errno : EISDIR;
    ::close(descriptor);
    if (inspected != 0 || S_ISDIR(info.st_mode)) return ioError("read", path, reason);
    return Error{ErrorCode::kIo,
                 fmt::format("cannot read {}: it is a pipe, socket or device; accepted: a file",
                             path.string()),
                 {},
                 path.string()};
  }
  MappedFile file;
  file.size_ = static_cast<std::size_t>(info.st_size);
  if (file.size_ > 0) {
    void* data = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) {
      const int reason = errno;
      file.size_ = 0;
      ::close(descriptor);
      return ioError("map", path, reason);
    }
    file.data_ = static_cast<const std::byte*>(data);
  }
  ::close(descriptor);
  return file;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void MappedFile::advise(std::size_t first, std::size_t last, int advice) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = first / page * page;
  const std::size_t end = std::min(last, size_);
  if (begin < end) (void)::madvise(const_cast<std::byte*>(data_) + begin, end - begin, advice);
}

void MappedFile::release(std::size_t first, std::size_t last) const {
  advise(first, last, MADV_DONTNEED);
}

void MappedFile::readAhead(std::size_t first, std::size_t last) const {
  advise(first, last, MADV_WILLNEED);
}

FileWriter::FileWriter(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor), path_(std::move(path)) {
  buffer_.reserve(kWriteBufferBytes);
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      written_(other.written_) {}

Result<FileWriter> FileWriter::create(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) return ioError("create", path, errno);
  return FileWriter(descriptor, path);
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(path_.c_str());
}

Status FileWriter::write(std::span<const std::byte> bytes) {
  return write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

Status FileWriter::write(std::string_view text) {
  written_ += text.size();
  if (text.size() >= kWriteBufferBytes) {  // no need to copy it first
    PARAPET_TRY(flush());
    return writeAll(descriptor_, text, path_);
  }
  while (!text.empty()) {
    const std::size_t room = kWriteBufferBytes - buffer_.size();
    buffer_.append(text.substr(0, room));
    text.remove_prefix(std::min(room, text.size()));
    if (buffer_.size() == kWriteBufferBytes) PARAPET_TRY(flush());
  }
  return {};
}

Status FileWriter::flush() {
  PARAPET_TRY(writeAll(descriptor_, buffer_, path_));
  buffer_.clear();
  return {};
}

Status FileWriter::finish() {
  PARAPET_TRY(flush());
  if (::fsync(descriptor_) != 0) return ioError("sync", path_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) return ioError("close", path_, errno);
  return {};
}

Result<std::string> readFile(const std::filesystem::path& path) {
  PARAPET_ASSIGN(const MappedFile file, MappedFile::open(path));
  return std::string(file.text());
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
  return writeAtomically(path, [content](FileWriter& writer) { return writer.write(content); });
}

Status syncFolder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return ioError("open", folder, errno);
  const int outcome = ::fsync(descriptor);
  const int reason = errno;
  ::close(descriptor);
  // Some file systems cannot sync a folder; that is no failure of ours.
  if (outcome != 0 && reason != EINVAL) return ioError("sync", folder, reason);
  return {};
}

Status createFolders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return ioError("create folder", folder, error.value());
  return {};
}

Result<std::uint64_t> freeBytes(const std::filesystem::path& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return ioError("inspect", path, errno);
  return std::uint64_t{info.f_bavail} * info.f_frsize;
}

std::uint64_t peakResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmHWM:")) continue;
    std::string_view digits = trim(std::string_view(line).substr(6));
    digits = digits.substr(0, digits.find(' '));
    return static_cast<std::uint64_t>(parseInt(digits).value_or(0)) * 1024;
  }
  return 0;
}

std::uint64_t physicalMemoryBytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long pageBytes = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && pageBytes > 0 ? std::uint64_t(pages) * std::uint64_t(pageBytes) : 0;
}

}  // namespace parapet

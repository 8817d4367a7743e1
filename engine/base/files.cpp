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
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/file_ranges.h"
#include "engine/base/text.h"

namespace parapet {
namespace {

constexpr std::size_t kWriteBufferBytes = 1 << 20;

// Never destroyed: a process may end while something is written.
struct UnfinishedPaths {
  std::mutex mutex;
  std::set<std::filesystem::path> paths;
  static UnfinishedPaths& instance() {
    static UnfinishedPaths& unfinished = *new UnfinishedPaths;
    return unfinished;
  }
};

Status writeAll(int descriptor, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

/// `tolerated` is an error number of fsync that is no failure.
Status syncPath(const std::filesystem::path& path, int flags, int tolerated) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (descriptor < 0) return ioError("open", path, errno);
  const int reason = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (reason != 0 && reason != tolerated) return ioError("sync", path, reason);
  return {};
}

}  // namespace

void markUnfinished(const std::filesystem::path& path) {
  UnfinishedPaths& unfinished = UnfinishedPaths::instance();
  const std::lock_guard lock(unfinished.mutex);
  unfinished.paths.insert(path);
}

void markFinished(const std::filesystem::path& path) {
  UnfinishedPaths& unfinished = UnfinishedPaths::instance();
  const std::lock_guard lock(unfinished.mutex);
  unfinished.paths.erase(path);
}

void removeUnfinished() {
  UnfinishedPaths& unfinished = UnfinishedPaths::instance();
  const std::lock_guard lock(unfinished.mutex);
  std::error_code ignored;
  for (const std::filesystem::path& path : unfinished.paths)
    std::filesystem::remove_all(path, ignored);
}

Error ioError(std::string_view verb, const std::filesystem::path& path, int errorNumber) {
  const ErrorCode code = errorNumber == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return Error{code,
               fmt::format("cannot {} {}: {}", verb, path.string(), std::strerror(errorNumber)),
               {},
               path.string()};
}

Error writeError(std::string_view verb, const std::filesystem::path& path, int errorNumber) {
  Error error = ioError(verb, path, errorNumber);
  error.code = ErrorCode::kIo;
  return error;
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  PARAPET_ASSIGN(const FileReader reader, FileReader::open(path));
  MappedFile file;
  file.path_ = path;
  struct stat info {};
  if (::fstat(reader.descriptor(), &info) != 0) return ioError("inspect", path, errno);
  file.device_ = info.st_dev;
  file.inode_ = info.st_ino;
  const auto size = static_cast<std::size_t>(reader.size());
  if (size == 0) return file;
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, reader.descriptor(), 0);
  if (data == MAP_FAILED) return ioError("map", path, errno);
  auto range = MappedRange::adopt(data, size, PROT_READ, path.string());
  if (!range) return ioError("map", path, ENOMEM);
  file.range_ = *std::move(range);
  return file;
}

Status MappedFile::intact() const {
  struct stat info {};
  // Another file of the name leaves the mapping what it was.
  const bool isSame =
      ::stat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_;
  const std::size_t size = bytes().size();
  const std::size_t left = isSame ? static_cast<std::size_t>(info.st_size) : size;
  if (!isLost() && left >= size) return {};
  return Error{ErrorCode::kData,
               left < size ? fmt::format("cannot read {}: it had {} bytes when it was opened and "
                                         "has {} now; it must not change while it is in use",
                                         path_.string(), size, left)
                           : fmt::format("cannot read {}: pages of it were lost while it was in "
                                         "use; was it cut off, or does its disk or server fail?",
                                         path_.string()),
               {},
               path_.string()};
}

void MappedFile::advise(std::size_t first, std::size_t last, int advice) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = first / page * page;
  const std::size_t end = std::min(last, bytes().size());
  if (begin < end) (void)::madvise(range_.bytes().data() + begin, end - begin, advice);
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
  if (descriptor < 0) return writeError("create", path, errno);
  markUnfinished(path);
  return FileWriter(descriptor, path);
}

FileWriter::~FileWriter() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(path_.c_str());
  markFinished(path_);
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
  markFinished(path_);
  if (::close(std::exchange(descriptor_, -1)) != 0) return ioError("close", path_, errno);
  return {};
}

Result<std::string> readFile(const std::filesystem::path& path) {
  PARAPET_ASSIGN(const FileReader file, FileReader::open(path));
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  PARAPET_TRY(file.read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

Status writeFileAtomically(const std::filesystem::path& path, std::string_view content) {
  return writeAtomically(path, [content](FileWriter& writer) { return writer.write(content); });
}

Status syncFile(const std::filesystem::path& path) {
  return syncPath(path, 0, 0);
}

Status syncFolder(const std::filesystem::path& folder) {
  // Some file systems cannot sync a folder; that is no failure of ours.
  return syncPath(folder, O_DIRECTORY, EINVAL);
}

Status createFolders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return writeError("create folder", folder, error.value());
  return {};
}

Result<NewFolders> NewFolders::create(const std::filesystem::path& folder) {
  NewFolders folders;
  std::error_code ignored;
  for (std::filesystem::path path = folder;
       !path.empty() && !std::filesystem::exists(path, ignored); path = path.parent_path())
    folders.made_.push_back(path);
  if (!folder.empty()) PARAPET_TRY(createFolders(folder));
  return folders;
}

NewFolders::~NewFolders() {
  std::error_code ignored;  // what is not empty stays
  for (const std::filesystem::path& folder : made_) std::filesystem::remove(folder, ignored);
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

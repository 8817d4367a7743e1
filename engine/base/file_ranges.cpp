// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file_ranges.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/base/files.h"

namespace parapet {

Result<FileReader> FileReader::open(const std::filesystem::path& path) {
  return open(path, O_RDONLY);
}

Result<FileReader> FileReader::open(const std::filesystem::path& path, int access) {
  // Opening a FIFO without a writer would wait without end.
  const int descriptor = ::open(path.c_str(), access | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return ioError("open", path, errno);
  FileReader reader(descriptor, path);
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return ioError("read", path, errno);
  if (S_ISDIR(info.st_mode)) return ioError("read", path, EISDIR);
  if (!S_ISREG(info.st_mode))
    return Error{ErrorCode::kIo,
                 fmt::format("cannot read {}: it is a pipe, socket or device; accepted: a file",
                             path.string()),
                 {},
                 path.string()};
  reader.size_ = static_cast<std::uint64_t>(info.st_size);
  return reader;
}

FileReader::FileReader(FileReader&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      path_(std::move(other.path_)) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  return *this;
}

FileReader::~FileReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status FileReader::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("read", path_, errno);
    if (count == 0)
      return Error{ErrorCode::kData,
                   fmt::format("cannot read {}: it ends at byte {}, and had more when it was "
                               "opened; a file must not be cut off while it is read",
                               path_.string(), offset),
                   "", path_.string()};
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Result<FileUpdater> FileUpdater::open(const std::filesystem::path& path) {
  PARAPET_ASSIGN(FileReader file, FileReader::open(path, O_RDWR));
  return FileUpdater(std::move(file));
}

Status FileUpdater::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("write", path(), errno);
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status FileUpdater::truncate(std::uint64_t bytes) const {
  if (::ftruncate(descriptor(), static_cast<off_t>(bytes)) != 0)
    return ioError("truncate", path(), errno);
  return {};
}

Status FileUpdater::sync() const {
  return ::fsync(descriptor()) == 0 ? Status{} : Status{ioError("sync", path(), errno)};
}

}  // namespace parapet

// SPDX-License-Identifier: Apache-2.0
#include "engine/base/file_updater.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/base/file_reader.h"
#include "engine/base/files.h"

namespace parapet {

Result<FileUpdater> FileUpdater::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return ioError("open", path, errno);
  return FileUpdater(descriptor, path);
}

FileUpdater::FileUpdater(FileUpdater&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

FileUpdater::~FileUpdater() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status FileUpdater::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  return readAt(descriptor_, path_, offset, bytes);
}

Status FileUpdater::write(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("write", path_, errno);
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status FileUpdater::truncate(std::uint64_t bytes) const {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
    return ioError("truncate", path_, errno);
  return {};
}

Status FileUpdater::sync() const {
  return ::fsync(descriptor_) == 0 ? Status{} : Status{ioError("sync", path_, errno)};
}

}  // namespace parapet

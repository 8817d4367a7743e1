// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/download/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/files.h"

namespace parapet::data {
namespace {

std::filesystem::path beside(const std::filesystem::path& target, const char* suffix) {
  std::filesystem::path path = target;
  path += suffix;
  return path;
}

std::filesystem::path folderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

Error noPart(const std::filesystem::path& path, const char* found) {
  return {
      ErrorCode::kIo,
      fmt::format("{} {}; the part of a download is a regular file. Remove it, or choose another "
                  "target",
                  path.string(), found),
      {},
      path.string()};
}

/// Without a readable origin the bytes are nobody's: an empty one cannot be continued.
PartOrigin originFrom(const std::filesystem::path& path) {
  const auto text = readFile(path);
  if (!text) return {};
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return {};
  const auto word = [&json](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  PartOrigin origin{word("url"), word("etag"), word("last_modified"), {}};
  if (const auto found = json.find("length"); found != json.end() && found->is_number_unsigned())
    origin.length = found->get<std::uint64_t>();
  return origin;
}

std::string textOf(const PartOrigin& origin) {
  const nlohmann::json json{{"url", origin.url},
                            {"etag", origin.etag},
                            {"last_modified", origin.lastModified},
                            {"length", origin.length ? nlohmann::json(*origin.length) : nullptr}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string PartOrigin::validator() const {
  // A weak ETag ("W/…") promises equal meaning, not equal bytes.
  if (etag.starts_with('"')) return etag;
  return lastModified;
}

PartFile::PartFile(int descriptor, std::filesystem::path target, NewFolders folders)
    : folders_(std::move(folders)),
      descriptor_(descriptor),
      target_(std::move(target)),
      path_(beside(target_, ".part")),
      originPath_(beside(target_, ".part.json")) {}

PartFile::PartFile(PartFile&& other) noexcept
    : folders_(std::move(other.folders_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      target_(std::move(other.target_)),
      path_(std::move(other.path_)),
      originPath_(std::move(other.originPath_)),
      size_(other.size_),
      origin_(std::move(other.origin_)) {}

PartFile::~PartFile() {
  if (descriptor_ < 0) return;
  if (!canContinue()) discard();
  ::close(descriptor_);
}

Result<PartFile> PartFile::open(const std::filesystem::path& target) {
  PARAPET_ASSIGN(NewFolders folders, NewFolders::create(folderOf(target)));
  const std::filesystem::path path = beside(target, ".part");
  // Whoever may write to the folder could lead us elsewhere by a link; a FIFO has no bytes to keep.
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (descriptor < 0 && errno == ELOOP) return noPart(path, "is a symbolic link");
  if (descriptor < 0) return writeError("write", path, errno);
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return noPart(path, "is no regular file");
  }
  // No link left: whoever held the lock has just finished or given up.
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 || ::fstat(descriptor, &info) != 0 ||
      info.st_nlink == 0) {
    ::close(descriptor);
    return Error{ErrorCode::kIo,
                 fmt::format("{}: another program is downloading to it; wait for that one, or "
                             "choose another target",
                             target.string()),
                 {},
                 target.string()};
  }
  PartFile part(descriptor, target, std::move(folders));
  part.size_ = static_cast<std::uint64_t>(info.st_size);
  part.origin_ = originFrom(part.originPath_);
  if (::lseek(descriptor, 0, SEEK_END) < 0) return ioError("read", path, errno);
  return part;
}

Status PartFile::begin(PartOrigin origin) {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) < 0)
    return ioError("empty", path_, errno);
  size_ = 0;
  origin_ = std::move(origin);
  return writeFileAtomically(originPath_, textOf(origin_));
}

Status PartFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("write", path_, errno);
    size_ += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

void PartFile::discard() {
  ::unlink(path_.c_str());
  ::unlink(originPath_.c_str());
  size_ = 0;
  origin_ = {};
  [[maybe_unused]] const int emptied = ::ftruncate(descriptor_, 0);
  ::lseek(descriptor_, 0, SEEK_SET);
}

Status PartFile::finish() {
  if (::fsync(descriptor_) != 0) return ioError("sync", path_, errno);
  if (::rename(path_.c_str(), target_.c_str()) != 0) return ioError("replace", target_, errno);
  ::unlink(originPath_.c_str());
  ::close(std::exchange(descriptor_, -1));
  return syncFolder(folderOf(target_));
}

std::uint64_t partialBytes(const std::filesystem::path& target) {
  if (originFrom(beside(target, ".part.json")).validator().empty()) return 0;
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(beside(target, ".part"), missing);
  return missing ? 0 : size;
}

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/pending_folder.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::data {
namespace {

namespace fs = std::filesystem;

// "a/b/" and "a/b" are the same target, but only the second has a neighbour "a/b.tmp-…".
fs::path withoutTrailingSlash(fs::path path) {
  return path.has_filename() ? path : path.parent_path();
}

fs::path parentOf(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Between the name of a target and the process that writes its folder.
constexpr std::string_view kFolder = ".tmp-";

// The process that a temporary neighbour of `target` names; "": it is none.
std::string_view ownerOf(std::string_view name, std::string_view target) {
  constexpr std::string_view kFile = ".tmp";
  if (!name.starts_with(target)) return {};
  std::string_view rest = name.substr(target.size());
  if (rest.starts_with(kFolder)) {
    rest.remove_prefix(kFolder.size());
    return rest.substr(0, rest.find('-'));
  }
  if (!rest.starts_with('.') || !rest.ends_with(kFile) || rest.size() <= kFile.size()) return {};
  return rest.substr(1, rest.size() - 1 - kFile.size());
}

}  // namespace

void removeAbandoned(const fs::path& target) {
  const std::string own = target.filename().string();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parentOf(target), error)) {
    const std::string name = entry.path().filename().string();
    const auto pid = parseInt(ownerOf(name, own));
    const bool isDead =
        pid && *pid > 0 && ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH;
    std::error_code ignored;
    if (isDead) fs::remove_all(entry.path(), ignored);
  }
}

bool isPendingFolderOf(const fs::path& folder, std::int64_t pid) {
  const std::string name = folder.filename().string();
  const std::string mark = fmt::format("{}{}-", kFolder, pid);
  const std::size_t at = name.rfind(mark);
  return pid > 0 && at != std::string::npos && at > 0 &&
         parseInt(std::string_view(name).substr(at + mark.size())).has_value();
}

Result<PendingFolder> PendingFolder::create(fs::path target) {
  static std::atomic<int> counter{0};
  target = withoutTrailingSlash(std::move(target));
  PARAPET_ASSIGN(NewFolders parents, NewFolders::create(parentOf(target)));
  removeAbandoned(target);
  fs::path path = target;
  path += fmt::format("{}{}-{}", kFolder, ::getpid(), counter++);
  std::error_code error;
  fs::remove_all(path, error);  // of a dead process that had our pid
  fs::create_directory(path, error);
  if (error) return writeError("create", target, error.value());
  return PendingFolder(std::move(parents), std::move(path), std::move(target));
}

PendingFolder::PendingFolder(NewFolders parents, fs::path path, fs::path target)
    : parents_(std::move(parents)), path_(std::move(path)), target_(std::move(target)) {
  markUnfinished(path_);
}

PendingFolder::PendingFolder(PendingFolder&& other) noexcept
    : parents_(std::move(other.parents_)),
      path_(std::move(other.path_)),
      target_(std::move(other.target_)) {
  other.path_.clear();
}

PendingFolder::~PendingFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  markFinished(path_);
}

Status PendingFolder::commit() {
  PARAPET_TRY(syncFolder(path_));
  if (std::rename(path_.c_str(), target_.c_str()) != 0) return writeError("create", target_, errno);
  markFinished(std::exchange(path_, {}));
  return syncFolder(parentOf(target_));
}

}  // namespace parapet::data

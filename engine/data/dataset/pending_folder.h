// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/files.h"
#include "engine/base/result.h"

namespace parapet::data {

/// Removes what processes that have ended left beside the target: folders `<target>.tmp-<pid>-<n>`
/// and files `<target>.<pid>.tmp`.
void removeAbandoned(const std::filesystem::path& target);

/// Whether a path is that of a PendingFolder of this process id, which may have ended.
bool isPendingFolderOf(const std::filesystem::path& folder, std::int64_t pid);

/// A temporary folder next to its target, `<target>.tmp-<pid>-<n>`. It becomes the target by one
/// rename, or is removed with all that is in it.
class PendingFolder {
 public:
  static Result<PendingFolder> create(std::filesystem::path target);
  PendingFolder(PendingFolder&& other) noexcept;
  PendingFolder& operator=(PendingFolder&&) = delete;
  ~PendingFolder();

  /// Where to write.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::filesystem::path& target() const { return target_; }
  /// Syncs and renames; the target must not exist or be an empty folder (Io otherwise).
  Status commit();

 private:
  PendingFolder(NewFolders parents, std::filesystem::path path, std::filesystem::path target);
  NewFolders parents_;
  std::filesystem::path path_;  // empty: committed or moved from
  std::filesystem::path target_;
};

}  // namespace parapet::data

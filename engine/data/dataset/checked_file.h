// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/files.h"
#include "engine/base/result.h"
#include "engine/data/dataset/file_rules.h"

namespace parapet::data {

/// A file of a data set, mapped into memory, and whether its bytes were checked.
///
/// A check reads the file once, block by block: the hash of each block must be that of the
/// manifest, and what the elements are (FileRule) is checked on the way, so that no element leads
/// outside a table even where a hash agrees.
class CheckedFile {
 public:
  /// Maps the file; its size must be that of the rule.
  ///
  /// Errors   kData with the path: the file is missing or has another size; kIo.
  static Result<std::unique_ptr<CheckedFile>> open(const std::filesystem::path& folder,
                                                   FileRule rule);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const FileRule& rule() const { return rule_; }
  [[nodiscard]] const MappedFile& mapped() const { return mapped_; }
  [[nodiscard]] bool isChecked() const { return isChecked_.load(std::memory_order_acquire); }

 private:
  friend class FileCheck;
  CheckedFile(std::filesystem::path path, FileRule rule)
      : path_(std::move(path)), rule_(std::move(rule)) {}

  std::filesystem::path path_;
  FileRule rule_;
  MappedFile mapped_;
  std::string identity_;  // of the bytes and the rule, for the cache; "": not to be kept
  std::atomic<bool> isChecked_ = false;
};

/// Whether files that this process has checked before, and that have not been written since, are
/// checked again.
enum class KnownFiles {
  kSkip,   ///< they are not
  kCheck,  ///< they are, to look for damage
};
/// What becomes of the memory of pages that were read for a check.
enum class CheckedPages {
  kKeep,     ///< they stay in memory, since they are used next
  kRelease,  ///< they are given back; for sets that may be larger than memory
};

/// Checks the files, in parallel by blocks; what is wrong with each, in their order: nullopt for a
/// sound one. A sound file is remembered by the process, by its path, its times of change and its
/// rule.
///
/// Thread   safe; files may be shared.
std::vector<std::optional<Error>> checkFiles(std::span<CheckedFile* const> files, KnownFiles known,
                                             CheckedPages pages);

}  // namespace parapet::data

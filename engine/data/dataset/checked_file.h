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
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/dataset/manifest.h"

namespace parapet::data {

/// The kind of the elements in a file of a data set.
enum class FileContent {
  kRows,        ///< int32, rows or entries of a vocabulary: each in [0, limit)
  kOffsets,     ///< int64, ascending from 0 to `limit`, in steps of at most `longestBag`
  kParts,       ///< uint8, experiment::SplitPart: each below `limit`
  kValues,      ///< labels, weights, times, dense features, vectors: anything
  kVocabulary,  ///< what Vocabulary::open accepts
};

/// The rule that a file of a data set must obey, as the manifest says.
struct FileRule {
  Manifest::File file;
  FileContent content = FileContent::kValues;
  /// kRows: rows or entries of the vocabulary; kOffsets: values of the column; kParts: parts
  std::int64_t limit = 0;
  std::int64_t longestBag = 0;  ///< kOffsets
};

/// Names of the files of a data set. Where a column has none of its own kind, the file is absent.
std::string rowsFile(const std::string& column);
/// Entries of the ids of a column, where several share a row.
std::string entriesFile(const std::string& column);
std::string offsetsFile(const std::string& column);
std::string bagWeightsFile(const std::string& column);
/// The files of what a catalogue knows of users or items, by their rows; of bags, where each begins.
/// No other files have names that end like these.
std::string entitiesFile(const std::string& column);
std::string entityOffsetsFile(const std::string& column);
std::string vocabularyFile(const std::string& vocabulary);
std::string vectorsFile(const std::string& vectors);
inline constexpr const char* kLabelFile = "label.f32";
inline constexpr const char* kWeightFile = "weight.f32";
inline constexpr const char* kTimeFile = "time.i64";
inline constexpr const char* kMicrosecondFile = "time_microseconds.i32";
inline constexpr const char* kPartFile = "part.u8";

/// The rules of all files that the manifest of `folder` names, in its order.
///
/// Errors   kData with the path of the manifest if it is that of another data set than the folder
///          is named after, or contradicts itself: a column or a vocabulary without its file, a
///          file of no column, a size other than elements × width, hashes other than one per block.
Result<std::vector<FileRule>> fileRules(const std::filesystem::path& folder,
                                        const Manifest& manifest);

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
/// The treatment of pages that were read for a check.
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

/// How a file of a data set was found.
struct FileOutcome {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::string problem{};  ///< what was found and what is accepted; "": the file is sound
};

/// How a data set was found. Its files are the manifest, then those that the manifest names; of a
/// data set whose manifest is damaged the manifest alone.
struct DatasetOutcome {
  std::filesystem::path folder;
  std::vector<FileOutcome> files;

  /// The first problem as a kData error with its path.
  [[nodiscard]] Status status() const;
};

/// Reads every file of a data set and compares it with the manifest, whatever was checked before. A
/// cancelled one lacks the files that were not reached.
DatasetOutcome examineDataset(const std::filesystem::path& folder, const WorkContext& context = {});

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/manifest.h"

namespace parapet::data {

/// What the elements of a file of a data set are.
enum class FileContent {
  kRows,        ///< int32, rows or entries of a vocabulary: each in [0, limit)
  kOffsets,     ///< int64, ascending from 0 to `limit`, in steps of at most `longestBag`
  kParts,       ///< uint8, experiment::SplitPart: each below `limit`
  kValues,      ///< labels, weights, times, dense features, vectors: anything
  kVocabulary,  ///< what Vocabulary::open accepts
};

/// What a file of a data set must be, as its manifest says.
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
/// What a catalogue knows of users or items, by their rows; of bags, where each begins. Their names
/// end as no other file's do.
std::string entitiesFile(const std::string& column);
std::string entityOffsetsFile(const std::string& column);
std::string vocabularyFile(const std::string& vocabulary);
std::string vectorsFile(const std::string& vectors);
inline constexpr const char* kLabelFile = "label.f32";
inline constexpr const char* kWeightFile = "weight.f32";
inline constexpr const char* kTimeFile = "time.i64";
inline constexpr const char* kPartFile = "part.u8";

/// The rules of all files that the manifest of `folder` names, in its order.
///
/// Errors   kData with the path of the manifest if it is that of another data set than the folder
///          is named after, or contradicts itself: a column or a vocabulary without its file, a
///          file of no column, a size other than elements × width, hashes other than one per block.
Result<std::vector<FileRule>> fileRules(const std::filesystem::path& folder,
                                        const Manifest& manifest);

}  // namespace parapet::data

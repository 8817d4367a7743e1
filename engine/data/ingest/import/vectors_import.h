// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/hash.h"
#include "engine/base/npy.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/dataset/manifest.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/experiment/document.h"

namespace parapet::data {

/// The ids and vectors of a file of pretrained embeddings, whatever its format:
///
///   text, Parquet   an id and a vector a line: a column of lists, of numbers with spaces between
///                   them, or a column for each number (`column` null)
///   .npy            [rows, width] or [rows], with the ids of the rows in a table beside it
///
/// Thread   not shared.
class VectorSource {
 public:
  using Take = std::function<Status(const ColumnValues& ids, const ColumnValues& vectors)>;

  /// Errors   kData for a file that is not there or cannot be read; InvalidDocument for a column
  ///          that it has not, or where several may hold the vectors.
  static Result<VectorSource> open(const experiment::Dataset& spec,
                                   const experiment::PretrainedEmbeddings& vectors);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Feeds the bytes of its files.
  Status hashInto(Hasher& hasher, const WorkContext& context) const;
  /// Calls take(ids, vectors), texts and lists of numbers of as many rows, block after block; once.
  ///
  /// Errors   kData, with the line, for a line that cannot be read or a number that is missing;
  ///          those of `take`; kCancelled.
  Status forEach(const Take& take, const WorkContext& context);

 private:
  Status selectColumns(const experiment::PretrainedEmbeddings& vectors);
  Status openNpy(const experiment::Dataset& spec, const experiment::PretrainedEmbeddings& vectors);
  Status gatherCells(const RowBlock& block);
  Status takeOfArray(const ColumnValues& ids, const Take& take);

  std::string path_;
  std::unique_ptr<Source> table_;  // of ids; of vectors too but for an array
  std::optional<NpyFile> array_;
  std::vector<std::string> numbers_;  // columns that are a number of the vector each
  std::int64_t rows_ = 0;             // that were read
  ColumnValues gathered_;
};

/// Feeds the bytes of the files that vectors come from.
Status hashVectors(const experiment::Dataset& spec, Hasher& hasher, const WorkContext& context);

/// Reads the files of vectors into `<folder>/<name>.vec.f32`, [vocabulary size, width], zeros for
/// rows without a line, and adds them to the manifest. The vocabularies lie in `folder` already.
///
/// Errors   InvalidDocument for a vocabulary or column that is not there; Data for a file without
///          vectors, or with vectors of different widths.
Status importVectors(const experiment::Dataset& spec, const std::filesystem::path& folder,
                     Manifest& manifest, const WorkContext& context);

}  // namespace parapet::data

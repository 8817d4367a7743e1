// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"

namespace parapet::data {

/// A column that folders write into their names ("day=2024-01-01"), as Hive and Spark partition
/// files by it: it has the same value in all rows of a file.
struct PartitionKey {
  std::string name;
  std::optional<std::string> value;      ///< unset: missing
  ValueType type = ValueType::kInteger;  ///< kInteger if all values are whole numbers, else kText
};

/// A file, and the keys of the folders that it is in.
struct PartitionedFile {
  std::string path;
  std::vector<PartitionKey> keys;
};

/// The file; or the Parquet files in a folder and in its folders that are named "key=value", in the
/// order of their paths. Those are .parquet, .parq and .pq files, and ones without an extension that
/// begin as Parquet does. Names that begin with "." or "_" are passed over.
///
/// Errors   kIo; kData for a folder without such files, or whose files have different keys.
Result<std::vector<PartitionedFile>> findParquetFiles(const std::filesystem::path& path);
/// Whether a folder has such files, whatever their keys.
bool holdsParquet(const std::filesystem::path& folder);

}  // namespace parapet::data

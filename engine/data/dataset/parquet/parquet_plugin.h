// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/plugin_library.h"
#include "engine/base/probe_journal.h"
#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/source_abi.h"

namespace parapet::data {

/// The plugin that reads and writes Parquet files, or why there is none.
struct ParquetPlugin {
  PluginOutcome outcome = PluginOutcome::kNotInstalled;
  std::string reason{};             ///< "" if it is in use
  std::string file{};               ///< "" if there is none
  const PsPlugin* table = nullptr;  ///< null unless it is loaded; lives as long as the process
};

/// Looks into the folder `sources` of each of the folders.
ParquetPlugin findParquetPlugin(std::span<const std::filesystem::path> folders,
                                const ProbeJournal& journal);

/// The plugin of this process, tried at first use.
const ParquetPlugin& parquetPlugin();

/// The table of the plugin of this process.
///
/// Errors   kDevice that says why there is none and what to do.
Result<const PsPlugin*> requireParquet();

/// An error of the plugin: kIo, kData or kDevice by its kind.
Error parquetError(std::int32_t kind, const PsError& error, const std::string& path,
                   const std::string& where = {});

enum class ParquetType { kUint8, kUint16, kUint32, kInt64, kBool, kFloat, kDouble, kText };

/// A column of a Parquet file that is written. Its values are integers (bools: 0 and 1), numbers or
/// texts, as its type tells; texts are stored as a dictionary.
struct ParquetColumn {
  std::string name;
  ParquetType type = ParquetType::kInt64;
  bool isList = false;
  bool isNullable = false;
};

enum class ParquetCompression { kNone, kSnappy, kZstd };

/// Writes a Parquet file, a row group at a time, beside its path; finish() renames it to the path.
/// Until then the path is as it was, and what was written is removed with the writer.
///
/// Thread   one caller at a time.
class ParquetWriter {
 public:
  /// Errors   kDevice, with what to do, where the plugin is not there; kIo.
  static Result<ParquetWriter> create(const std::filesystem::path& path,
                                      std::vector<ParquetColumn> columns,
                                      ParquetCompression compression = ParquetCompression::kZstd);
  ParquetWriter(ParquetWriter&&) noexcept;
  ParquetWriter& operator=(ParquetWriter&&) noexcept;
  ~ParquetWriter();

  /// Appends the rows as one row group; `rows.columns` are those of the file, in order. 10⁵ to 10⁶
  /// rows make good groups.
  ///
  /// Errors   InvalidArgument for other columns, a missing value where the column has none, or an
  ///          integer outside its type; kIo.
  Status write(const RowBlock& rows);
  /// Completes the file and renames it to its path; nothing may be written afterwards.
  Status finish();

 private:
  struct State;
  explicit ParquetWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace parapet::data

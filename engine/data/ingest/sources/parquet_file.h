// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/source_abi.h"

namespace parapet::data {

/// The plugin's handles with owners. What the plugin reports becomes an Error with the path.

struct ParquetRelease {
  const PsReading* reading;
  void operator()(PsFile* file) const { reading->close(file); }
  void operator()(PsCursor* cursor) const { reading->finish(cursor); }
  void operator()(PsBatch* batch) const { reading->release(batch); }
};

/// kData: "<path> <what>".
Error badParquet(const std::string& path, std::string_view what);

/// Decoded rows of some columns. Any thread may read it.
class ParquetBatch {
 public:
  ParquetBatch(PsBatch* batch, const PsReading& reading) : batch_(batch, {&reading}) {}
  [[nodiscard]] const PsBatch* get() const { return batch_.get(); }
  [[nodiscard]] const PsReading& reading() const { return *batch_.get_deleter().reading; }
  [[nodiscard]] std::size_t rows() const {
    return static_cast<std::size_t>(reading().rows(batch_.get()));
  }

 private:
  std::unique_ptr<PsBatch, ParquetRelease> batch_;
};

/// Reads some columns of one row group. The file must outlive it.
class ParquetCursor {
 public:
  ParquetCursor(PsCursor* cursor, const PsReading& reading, std::string path, std::string where)
      : cursor_(cursor, {&reading}), path_(std::move(path)), where_(std::move(where)) {}
  /// Null at the end. Data for a damaged file.
  Result<std::shared_ptr<const ParquetBatch>> next();

 private:
  std::unique_ptr<PsCursor, ParquetRelease> cursor_;
  std::string path_, where_;
};

/// A Parquet file: its columns, its row groups and what it knows of them.
class ParquetFile {
 public:
  /// Errors   kDevice without the plugin; kNotFound, kIo, kData.
  static Result<ParquetFile> open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const PsColumn> columns() const {
    return {info_.columns, static_cast<std::size_t>(info_.columnCount)};
  }
  [[nodiscard]] std::int64_t groups() const { return info_.groups; }
  [[nodiscard]] std::int64_t groupRows(std::int64_t group) const {
    return reading_->groupRows(file_.get(), group);
  }
  [[nodiscard]] PsChunk chunk(std::int64_t group, std::int32_t column) const;
  Result<ParquetCursor> start(std::int64_t group, std::span<const std::int32_t> columns,
                              std::int64_t batchRows) const;

 private:
  ParquetFile(std::string path, PsFile* file, const PsReading& reading);
  std::string path_;
  const PsReading* reading_;
  std::unique_ptr<PsFile, ParquetRelease> file_;
  PsFileInfo info_{};
};

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/parquet/parquet_plugin.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/sources/parquet_folder.h"
#include "engine/data/ingest/sources/source.h"
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

/// A file whose rows hold lists that belong together: row i of the lists is one row of the source.
struct UnrolledRows {
  std::int32_t lengths = 0;  ///< the column of the file whose lists tell how many rows there are
};

/// For messages: "integers", "numbers", "text".
const char* valuesName(ValueType type);

/// The memory that the texts of a block point into.
struct ParquetTexts {
  std::vector<std::shared_ptr<const ParquetBatch>> batches;
  std::deque<std::string> made;  ///< what is not in the file as it is needed
};

/// Maps the columns of a file to those of a block.
class ParquetProjection {
 public:
  /// `keys` are those of the file's folders; they must outlive it.
  ///
  /// Errors   InvalidDocument for a column that the file has not, or that cannot be read so.
  static Result<ParquetProjection> make(std::span<const PsColumn> columns,
                                        std::span<const PartitionKey> keys,
                                        std::span<const ColumnRequest> requests,
                                        std::optional<UnrolledRows> unrolled);

  /// Columns of the file that a cursor must read, in its order.
  [[nodiscard]] std::span<const std::int32_t> columns() const { return columns_; }
  /// Columns without rows, of the types that were asked for, with room for so many rows.
  void clear(RowBlock& block, std::size_t expectedRows) const;
  /// Appends the rows of a batch, read with columns(), to a block. Its texts stay valid as long as
  /// `texts` does. Rows with an integer beyond int64 are among the rejected ones of the block;
  /// removeRejected() takes them out once all batches are in it.
  ///
  /// Errors   kData with the column and what it holds: text that is no UTF-8, lists of different
  ///          lengths that belong together.
  Status append(const std::shared_ptr<const ParquetBatch>& batch, const std::string& path,
                ParquetTexts& texts, RowBlock& block) const;
  /// How many rows a batch makes.
  [[nodiscard]] std::int64_t rowsOf(const ParquetBatch& batch) const;

 private:
  struct Output {
    std::string name;
    std::int32_t columnIndex = 0;  ///< in columns_
    std::int32_t kind = PS_INTEGER;
    ValueType type = ValueType::kInteger;
    bool isList = false;
    std::string separator, weightSeparator;  ///< of a text that is cut
    std::string pointer;                     ///< as that of ColumnRequest
    const PartitionKey* key = nullptr;       ///< the value of all rows; null: a column of the file
  };
  class Appender;

  std::vector<std::int32_t> columns_;
  std::vector<Output> outputs_;
  std::optional<std::int32_t> lengths_;  ///< in columns_
};

/// Takes the rejected rows out of a block, and tells each of them once.
void removeRejected(RowBlock& block);

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/metadata.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/data/source_abi.h"

/// Rows of some columns, decoded. It does not change, so that any thread may read it.
struct PsBatch {
  struct Column {
    std::string name;
    std::shared_ptr<arrow::Array> rows;    ///< one element a row; a list, or the values themselves
    std::shared_ptr<arrow::Array> values;  ///< values of all lists one after the other
    bool isList = false;
    // PS_TEXT only. What the array holds already is not held again.
    PsTexts texts{};
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> offsets;
    std::string bytes;

    /// [rows + 1]. Invalid if there are more values than int32 counts.
    arrow::Status copyOffsets(std::int32_t* out) const;
    arrow::Status copyIntegers(std::int64_t* out) const;
    arrow::Status copyNumbers(double* out) const;
    /// The first value from `from` on that int64 cannot hold, with its digits; else the length.
    std::int64_t nextUnfit(std::int64_t from, std::string& digits) const;
    /// Whether a time is between two seconds; `out`, if that is not null, is filled if one is.
    bool copyMicroseconds(std::int32_t* out) const;
  };
  std::int64_t rows = 0;
  std::vector<Column> columns;

  /// Takes a column of `kind`, as PsFile has it, apart.
  static arrow::Status take(std::shared_ptr<arrow::Array> rows, std::int32_t kind, Column& column);
};

namespace parapet::plugin {

/// Lays out the texts of a column: its codes, offsets and bytes.
arrow::Status layOutTexts(PsBatch::Column& column);
/// How many nulls an array has; marks them in `out`, if that is not null.
std::int64_t markNulls(const arrow::Array& array, std::uint8_t* out);

}  // namespace parapet::plugin

/// The content of a file by its metadata. The descriptor is closed again: each cursor opens one of
/// its own.
struct PsFile {
  struct Column {
    std::string name, typeName;
    std::shared_ptr<arrow::DataType> valueType;  ///< of the values; null if they are nested
    std::int32_t kind = PS_OTHER;
    bool isList = false;
    int leaf = -1;  ///< the column as the format counts them
  };
  std::string path;
  std::shared_ptr<parquet::FileMetaData> metadata;
  std::vector<Column> columns;
  std::vector<PsColumn> described;  ///< into `columns`

  static arrow::Result<std::unique_ptr<PsFile>> open(const std::string& path);
  [[nodiscard]] PsChunk chunk(std::int64_t group, std::int32_t column) const;
};

/// Reads some columns of one row group, batch by batch, with a descriptor of its own.
struct PsCursor {
  const PsFile* file = nullptr;
  std::int64_t group = 0;
  std::vector<std::int32_t> columns;  ///< of the file
  std::vector<int> decodedIndex;      ///< of each of `columns` among those that are decoded
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::unique_ptr<arrow::RecordBatchReader> batches;

  static arrow::Result<std::unique_ptr<PsCursor>> start(const PsFile& file, std::int64_t group,
                                                        std::span<const std::int32_t> columns,
                                                        std::int64_t batchRows);
  /// Null at the end.
  arrow::Result<std::unique_ptr<PsBatch>> next();
};

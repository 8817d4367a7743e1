// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/arrow/reader.h>

#include <memory>
#include <span>
#include <vector>

#include "plugins/parquet/batch.h"
#include "plugins/parquet/file.h"

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

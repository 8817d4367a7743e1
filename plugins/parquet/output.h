// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <parquet/arrow/writer.h>

#include <memory>
#include <span>
#include <vector>

#include "engine/data/source_abi.h"

/// A file that is written, through the host's function.
struct PsOutput {
  std::vector<PsField> fields;  ///< without their names
  std::shared_ptr<arrow::Schema> schema;
  std::unique_ptr<parquet::arrow::FileWriter> writer;

  static arrow::Result<std::unique_ptr<PsOutput>> create(std::span<const PsField> fields,
                                                         std::int32_t compression, PsWrite write,
                                                         void* context);
  arrow::Status append(std::int64_t rows, std::span<const PsValues> columns);
};

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/result.h>
#include <arrow/type.h>
#include <parquet/metadata.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/data/source_abi.h"

/// What a file says of itself. The descriptor is closed again: each cursor opens one of its own.
struct PsFile {
  struct Column {
    std::string name, typeName;
    std::shared_ptr<arrow::DataType> valueType;  ///< of the values; null for PS_OTHER
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

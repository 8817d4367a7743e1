// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/sources/parquet_file.h"
#include "engine/data/ingest/sources/source.h"
#include "engine/data/source_abi.h"

namespace parapet::data {

/// A file whose rows hold lists that belong together: row i of the lists is one row of the source.
struct UnrolledRows {
  std::int32_t lengths = 0;  ///< the column of the file whose lists tell how many rows there are
};

/// For messages: "integers", "numbers", "text".
const char* valuesName(ValueType type);

/// What the texts of a block point into.
struct ParquetTexts {
  std::vector<std::shared_ptr<const ParquetBatch>> batches;
  std::deque<std::string> made;  ///< what is not in the file as it is needed
};

/// Which columns of a file become which columns of a block.
class ParquetProjection {
 public:
  /// Errors   InvalidDocument for a column that the file has not, or that cannot be read so.
  static Result<ParquetProjection> make(std::span<const PsColumn> columns,
                                        std::span<const ColumnRequest> requests,
                                        std::optional<UnrolledRows> unrolled);

  /// Columns of the file that a cursor must read, in its order.
  [[nodiscard]] std::span<const std::int32_t> columns() const { return columns_; }
  /// Columns without rows, of the types that were asked for, with room for so many rows.
  void clear(RowBlock& block, std::size_t expectedRows) const;
  /// Appends the rows of a batch, read with columns(), to a block. Its texts stay valid as long as
  /// `texts` does.
  ///
  /// Errors   kData with the column and what it holds: an integer beyond int64, text that is no
  ///          UTF-8, lists of different lengths that belong together.
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
  };
  class Appender;

  std::vector<std::int32_t> columns_;
  std::vector<Output> outputs_;
  std::optional<std::int32_t> lengths_;  ///< in columns_
};

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/data/dataset/row_block.h"

namespace parapet::data {

/// What a cell of a column holds.
enum class CellForm { kValue, kList };

/// Fills a block line by line. The row of a line is written behind those that are there, and counts
/// when the line has been accepted.
class BlockWriter {
 public:
  /// Throws away what the block holds; it keeps its memory.
  BlockWriter(RowBlock& block, std::size_t columns);

  /// What a column is; each before anything else.
  void startColumn(std::size_t column, ValueType type, CellForm form);
  /// Room for `rows` more rows.
  void reserve(std::size_t rows);
  /// Index of the row that is being written.
  [[nodiscard]] std::size_t row() const { return row_; }
  /// Lines that are done.
  [[nodiscard]] std::int64_t line() const { return line_; }
  [[nodiscard]] ColumnValues& column(std::size_t column) { return block_.columns[column]; }
  void markMissing(ColumnValues& column);

  /// The next lines are rows.
  void accept(std::size_t lines);
  /// The line is blank or a header: neither a row nor rejected.
  void skip();
  /// The line is rejected; `pointer` as that of RejectedRow.
  void refuse(std::string reason, std::string_view line, std::string pointer = {});
  /// Takes back what has been written of the row.
  void rollBack();
  /// No more lines.
  void finish();

 private:
  RowBlock& block_;
  std::size_t capacity_ = 0;
  std::size_t row_ = 0;
  std::int64_t line_ = 0;
};

/// Length of the array of values that is in use.
std::size_t valueCount(const ColumnValues& column);
void resizeValues(ColumnValues& column, std::size_t count);

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parapet::data {

/// The type of the cells of a column.
enum class ValueType {
  kInteger,  ///< int64
  kNumber,   ///< double
  kText,     ///< UTF-8
};

/// A column that a source has.
struct SourceColumn {
  std::string name;
  ValueType type = ValueType::kText;
  bool isList = false;  ///< several values a row
};

/// For messages that name them.
std::vector<std::string> namesOf(std::span<const SourceColumn> columns);
/// Names as a message lists them: the first twelve, "…" for the others.
std::string listed(std::span<const std::string> names);

/// The cells of one column, row after row. One of the three arrays of values is in use.
struct ColumnValues {
  ValueType type = ValueType::kInteger;
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  std::vector<std::string_view> texts;  ///< into RowBlock::bytes, or what the source keeps alive
  /// 1 where a row has no value (an empty cell, a null); its value is 0 or "". Empty: all have one.
  std::vector<std::uint8_t> missing;
  /// Lists only, [rows + 1]: the values of row i are [offsets[i], offsets[i + 1]).
  std::vector<std::int32_t> offsets;
  /// Times only: what they are beyond the whole second, in [0, 10⁶); empty: nothing.
  std::vector<std::int32_t> microseconds;

  [[nodiscard]] bool isMissing(std::size_t row) const { return !missing.empty() && missing[row]; }
  [[nodiscard]] bool isList() const { return !offsets.empty(); }
  /// No rows; keeps the memory.
  void clear();
};

/// A rejected line of a source.
struct RejectedRow {
  std::int64_t line = 0;  ///< counted from 0 at the first line of its piece
  std::string reason;     ///< what was found, what is accepted
  std::string excerpt;    ///< printable start of the line
  std::string pointer{};  ///< setting of the column that it failed at; "": none is to blame
};

/// Consecutive rows of a source, column by column, in the order that select() asked for.
struct RowBlock {
  std::int64_t rows = 0;
  std::vector<ColumnValues> columns;
  /// Line of each row, counted as in RejectedRow; empty: row i is line i.
  std::vector<std::int32_t> lineOfRow;
  /// 1 where values of the row were left out because it has too many; empty: of none.
  std::vector<std::uint8_t> truncated;
  std::int64_t lines =
      0;  ///< lines of the source that the block covers, rejected and blank ones included
  std::vector<RejectedRow> rejected;
  std::shared_ptr<const void> bytes;  ///< keeps the texts alive

  [[nodiscard]] std::int64_t lineOf(std::int64_t row) const {
    return lineOfRow.empty() ? row : lineOfRow[static_cast<std::size_t>(row)];
  }
  /// No rows, no rejected lines; keeps the memory of the columns.
  void clear();
};

}  // namespace parapet::data

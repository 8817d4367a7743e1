// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/data/ingest/sources/source.h"

namespace parapet::data {

/// All that a source gives, as texts: numbers as {fmt} writes them, lists in brackets, "null" for
/// what is missing.
struct SourceRows {
  struct Bad {
    std::int64_t line = 0;  ///< from 1
    std::string reason;
  };
  std::vector<std::string> rows;    ///< cells separated by one space
  std::vector<std::int64_t> lines;  ///< of the rows, from 1
  std::vector<Bad> rejected;
};

inline std::string valueText(const ColumnValues& column, std::size_t at) {
  if (column.type == ValueType::kInteger) return fmt::format("{}", column.integers[at]);
  if (column.type == ValueType::kNumber) return fmt::format("{}", column.numbers[at]);
  return std::string(column.texts[at]);
}

inline std::string cellText(const ColumnValues& column, std::size_t row) {
  if (column.isMissing(row)) return "null";
  if (!column.isList()) return valueText(column, row);
  std::string text;
  for (auto i = column.offsets[row]; i < column.offsets[row + 1]; ++i)
    text += (text.empty() ? "" : " ") + valueText(column, static_cast<std::size_t>(i));
  return "[" + text + "]";
}

/// Reads a source, of which the columns have been selected, to its end.
inline Result<SourceRows> readRows(Source& source) {
  SourceRows all;
  std::int64_t lines = source.linesBefore();
  Source::Piece piece;
  RowBlock block;
  for (;;) {
    PARAPET_ASSIGN(const bool more, source.next(piece));
    if (!more) return all;
    PARAPET_TRY(source.parse(piece, block));
    for (std::int64_t row = 0; row < block.rows; ++row) {
      std::string text;
      for (const ColumnValues& column : block.columns)
        text += (text.empty() ? "" : " ") + cellText(column, static_cast<std::size_t>(row));
      all.rows.push_back(std::move(text));
      all.lines.push_back(lines + block.lineOf(row) + 1);
    }
    for (const RejectedRow& bad : block.rejected)
      all.rejected.push_back({lines + bad.line + 1, bad.reason});
    lines += block.lines;
  }
}

}  // namespace parapet::data

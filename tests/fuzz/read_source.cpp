// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/read_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/base/text.h"
#include "tests/fuzz/fuzz_target.h"

namespace parapet::fuzz {
namespace {

// Pieces that a hostile file may make a source give; beyond them nothing new is learned.
constexpr int kMaxPieces = 200;

std::size_t valuesOf(const data::ColumnValues& column) {
  switch (column.type) {
    case data::ValueType::kInteger:
      return column.integers.size();
    case data::ValueType::kNumber:
      return column.numbers.size();
    default:
      return column.texts.size();
  }
}

void checkColumn(const data::ColumnValues& column, std::size_t rows) {
  std::size_t values = rows;
  if (column.isList()) {
    if (column.offsets.size() != rows + 1 || column.offsets.front() != 0 ||
        !std::is_sorted(column.offsets.begin(), column.offsets.end()))
      breakInvariant("offsets of a list ascend from 0, one more than rows");
    values = static_cast<std::size_t>(column.offsets.back());
  }
  if (valuesOf(column) != values) breakInvariant("a column has a value for each row");
  if (!column.missing.empty() && column.missing.size() != rows)
    breakInvariant("a row's value is missing or not");
  for (const std::string_view text : column.texts)
    if (!isValidUtf8(text)) breakInvariant("texts are UTF-8");
}

void checkBlock(const data::RowBlock& block) {
  const auto rows = static_cast<std::size_t>(block.rows);
  if (block.rows < 0 || block.lines < 0) breakInvariant("nothing is fewer than none");
  for (const data::ColumnValues& column : block.columns) checkColumn(column, rows);
  if (!block.lineOfRow.empty() && block.lineOfRow.size() != rows)
    breakInvariant("every row has a line");
  for (std::int64_t row = 0; row < block.rows; ++row)
    if (block.lineOf(row) < 0 || block.lineOf(row) >= block.lines ||
        (row > 0 && block.lineOf(row) < block.lineOf(row - 1)))
      breakInvariant("lines of rows ascend inside the piece");
  if (block.rows + std::ssize(block.rejected) > block.lines)
    breakInvariant("a line is a row, rejected or blank");
  for (const data::RejectedRow& rejected : block.rejected) {
    if (rejected.line < 0 || rejected.line >= block.lines)
      breakInvariant("rejected lines are in the piece");
    if (rejected.reason.empty() || !isValidUtf8(rejected.reason) || !isValidUtf8(rejected.excerpt))
      breakInvariant("rejected lines have a reason and an excerpt that can be printed");
    tell(std::string_view(rejected.reason)
             .substr(0, rejected.reason.find('(')));  // then names may follow
  }
}

/// Numbers by their bits, so that one that is none equals itself.
bool sameNumbers(const std::vector<double>& left, const std::vector<double>& right) {
  return std::ranges::equal(left, right, [](double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  });
}

/// A block that is filled again shows nothing of what it held.
void checkSame(const data::RowBlock& left, const data::RowBlock& right) {
  bool isSame = left.rows == right.rows && left.lines == right.lines &&
                left.rejected.size() == right.rejected.size() &&
                left.columns.size() == right.columns.size();
  for (std::size_t c = 0; isSame && c < left.columns.size(); ++c) {
    const data::ColumnValues &a = left.columns[c], &b = right.columns[c];
    isSame = a.type == b.type && a.offsets == b.offsets && a.texts == b.texts &&
             a.integers == b.integers && sameNumbers(a.numbers, b.numbers);
    for (std::size_t row = 0; isSame && row < static_cast<std::size_t>(left.rows); ++row)
      isSame = a.isMissing(row) == b.isMissing(row);
  }
  if (!isSame) breakInvariant("rows are a function of the piece alone");
}

void checkError(const Error& error) {
  if (!isValidUtf8(error.text())) breakInvariant("messages are UTF-8");
  tell(error.message);
}

}  // namespace

std::vector<data::ColumnRequest> requestsFor(const data::Source& source) {
  std::vector<data::ColumnRequest> requests;
  for (const data::SourceColumn& column : source.columns())
    requests.push_back({column.name, std::nullopt, "", ""});
  return requests;
}

std::vector<data::ColumnRequest> requestsFor(const data::Source& source, unsigned choice) {
  std::vector<data::ColumnRequest> requests = requestsFor(source);
  for (data::ColumnRequest& request : requests) {
    if (choice == 1) request.type = data::ValueType::kNumber;
    if (choice == 2) request.type = data::ValueType::kInteger;
    if (choice != 3) continue;
    request.type = data::ValueType::kText;
    request.separator = "|";
    request.weightSeparator = ":";
  }
  return requests;
}

void readSource(data::Source& source, std::span<const data::ColumnRequest> requests) {
  if (const Status selected = source.select(requests); !selected.ok())
    return checkError(selected.error());
  data::Source::Piece piece;
  data::RowBlock block;
  std::int64_t rows = 0;
  for (int pieces = 0; pieces < kMaxPieces; ++pieces) {
    const auto more = source.next(piece);
    if (!more.ok()) return checkError(more.error());
    if (!*more) break;
    if (piece.index != pieces) breakInvariant("pieces are numbered from 0");
    if (const Status parsed = source.parse(piece, block); !parsed.ok())
      return checkError(parsed.error());
    checkBlock(block);
    data::RowBlock fresh;
    if (!source.parse(piece, fresh).ok()) breakInvariant("what was read once is read again");
    checkSame(block, fresh);
    if (block.lines > 0 && !isValidUtf8(source.excerpt(piece, block.lines - 1)))
      breakInvariant("an excerpt can be printed");
    rows += block.rows;
  }
  for (const std::string& warning : source.warnings()) tell(warning);
  tell(rows == 0 ? "no rows" : rows == 1 ? "one row" : "rows");
}

}  // namespace parapet::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/block_writer.h"

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"

namespace parapet::data {

std::size_t valueCount(const ColumnValues& column) {
  return column.integers.size() + column.numbers.size() + column.texts.size();
}

void resizeValues(ColumnValues& column, std::size_t count) {
  switch (column.type) {
    case ValueType::kInteger:
      column.integers.resize(count);
      break;
    case ValueType::kNumber:
      column.numbers.resize(count);
      break;
    case ValueType::kText:
      column.texts.resize(count);
      break;
  }
}

BlockWriter::BlockWriter(RowBlock& block, std::size_t columns) : block_(block) {
  block_.columns.resize(columns);
  block_.lineOfRow.clear();
  block_.rejected.clear();
  block_.bytes.reset();
}

void BlockWriter::startColumn(std::size_t column, ValueType type, CellForm form) {
  const bool isList = form == CellForm::kList;
  ColumnValues& values = block_.columns[column];
  // A column that is filled again keeps its length: it need not be cleared to be overwritten.
  if (isList || values.type != type || values.isList()) values.clear();
  values.type = type;
  values.missing.clear();
  if (isList) values.offsets.assign(1, 0);
}

void BlockWriter::reserve(std::size_t rows) {
  const std::size_t wanted = row_ + rows;
  if (wanted <= capacity_) return;
  capacity_ = wanted;
  for (ColumnValues& column : block_.columns) {
    if (!column.isList()) resizeValues(column, std::max(capacity_, valueCount(column)));
    if (!column.missing.empty()) column.missing.resize(capacity_);
  }
  if (!block_.lineOfRow.empty()) block_.lineOfRow.resize(capacity_);
}

void BlockWriter::markMissing(ColumnValues& column) {
  if (column.missing.empty()) column.missing.resize(capacity_);
  column.missing[row_] = 1;
}

void BlockWriter::accept(std::size_t lines) {
  if (!block_.lineOfRow.empty()) {
    const auto first = block_.lineOfRow.begin() + std::ptrdiff_t(row_);
    std::iota(first, first + std::ptrdiff_t(lines), static_cast<std::int32_t>(line_));
  }
  row_ += lines;
  line_ += static_cast<std::int64_t>(lines);
}

void BlockWriter::skip() {
  // From here on rows and lines are no longer the same.
  if (block_.lineOfRow.empty()) {
    block_.lineOfRow.resize(std::max<std::size_t>(capacity_, 1));
    std::iota(block_.lineOfRow.begin(), block_.lineOfRow.begin() + std::ptrdiff_t(row_), 0);
  }
  ++line_;
}

void BlockWriter::refuse(std::string reason, std::string_view line, std::string pointer) {
  block_.rejected.push_back({line_, std::move(reason), printable(line), std::move(pointer)});
  skip();
}

void BlockWriter::rollBack() {
  for (ColumnValues& column : block_.columns) {
    if (!column.missing.empty()) column.missing[row_] = 0;
    if (!column.isList()) continue;
    column.offsets.resize(row_ + 1);
    resizeValues(column, static_cast<std::size_t>(column.offsets.back()));
  }
}

void BlockWriter::finish() {
  for (ColumnValues& column : block_.columns) {
    if (!column.isList()) resizeValues(column, row_);
    if (!column.missing.empty()) column.missing.resize(row_);
  }
  block_.lineOfRow.resize(block_.lineOfRow.empty() ? 0 : row_);
  block_.rows = static_cast<std::int64_t>(row_);
  block_.lines = line_;
}

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/row_block.h"

#include "engine/base/text.h"

namespace parapet::data {

std::string listed(std::span<const std::string> names) {
  constexpr std::size_t kNamesInMessage = 12;
  return names.size() <= kNamesInMessage ? join(names) : join(names.first(kNamesInMessage)) + ", …";
}

std::vector<std::string> namesOf(std::span<const SourceColumn> columns) {
  std::vector<std::string> names;
  for (const SourceColumn& column : columns) names.push_back(column.name);
  return names;
}

void ColumnValues::clear() {
  integers.clear();
  numbers.clear();
  texts.clear();
  missing.clear();
  offsets.clear();
  microseconds.clear();
}

void RowBlock::clear() {
  rows = 0;
  lines = 0;
  for (ColumnValues& column : columns) column.clear();
  lineOfRow.clear();
  truncated.clear();
  rejected.clear();
  bytes.reset();
}

}  // namespace parapet::data

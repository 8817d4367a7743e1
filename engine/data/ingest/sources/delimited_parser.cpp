// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/delimited_parser.h"

#include <fmt/format.h>

#include <utility>

#include "engine/data/ingest/sources/delimited_reader.h"

namespace parapet::data {

DelimitedParser::Step::Kind DelimitedParser::kindOf(const CellUse& use) {
  if (!use.separator.empty()) return Step::Kind::kList;
  switch (use.type) {
    case ValueType::kInteger:
      return Step::Kind::kInteger;
    case ValueType::kNumber:
      return Step::Kind::kNumber;
    case ValueType::kText:
      break;
  }
  return Step::Kind::kText;
}

DelimitedParser::DelimitedParser(LineFormat format, std::vector<CellUse> uses)
    : format_(std::move(format)), uses_(std::move(uses)) {
  if (format_.cells.delimiter.empty()) throw InvalidArgument("a delimiter of no bytes");
  std::vector<std::size_t> columnOf;
  for (const CellUse& use : uses_) {
    if (use.cell >= format_.names.size())
      throw InvalidArgument(
          fmt::format("cell {} of lines with {} cells", use.cell, format_.names.size()));
    columnOf.push_back(columns_);
    columns_ += use.weightSeparator.empty() ? 1 : 2;
  }
  for (std::size_t cell = 0; cell < format_.names.size(); ++cell) {
    const std::size_t before = steps_.size();
    for (std::size_t u = 0; u < uses_.size(); ++u)
      if (uses_[u].cell == cell)
        steps_.push_back({.kind = kindOf(uses_[u]), .use = u, .column = columnOf[u]});
    if (steps_.size() == before) steps_.push_back({.column = columns_});
    for (std::size_t s = before; s < steps_.size(); ++s) {
      steps_[s].cell = cell;
      steps_[s].last = cell + 1 == format_.names.size();
    }
  }
}

void DelimitedParser::parse(const Source::Piece& piece, RowBlock& block) const {
  Reader(*this, piece, block).read();
}

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/sources/delimited_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
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
  // Uses in the order of their cells.
  std::vector<std::size_t> order(uses_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [this](std::size_t u) { return uses_[u].cell; });
  auto next = order.cbegin();
  for (std::size_t cell = 0; cell < format_.names.size(); ++cell) {
    const std::size_t before = steps_.size();
    for (; next != order.cend() && uses_[*next].cell == cell; ++next)
      steps_.push_back({.kind = kindOf(uses_[*next]), .use = *next, .column = columnOf[*next]});
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

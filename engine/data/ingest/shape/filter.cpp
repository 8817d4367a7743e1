// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/filter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/data/ingest/shape/filter_parser.h"
#include "engine/data/ingest/shape/filter_program.h"

namespace parapet::data {
namespace {

using Bounds = std::vector<ColumnBound>;

ColumnBound* find(Bounds& bounds, const std::string& column) {
  const auto found = std::find_if(bounds.begin(), bounds.end(),
                                  [&](const ColumnBound& bound) { return bound.column == column; });
  return found == bounds.end() ? nullptr : &*found;
}

/// The bounds of a comparison with numbers; rounded outwards where a constant is no double.
Bounds boundsOf(const FilterSyntax& syntax, const FilterStep& step) {
  const auto isNumber = [](const FilterConstant& constant) {
    return constant.kind == FilterConstant::Kind::kInteger ||
           constant.kind == FilterConstant::Kind::kNumber;
  };
  if (step.constants.empty() ||
      !std::all_of(step.constants.begin(), step.constants.end(), isNumber))
    return {};
  ColumnBound bound{syntax.columns[step.column], {}, {}};
  const auto least = [](const FilterConstant& constant) {
    return mostNumber(constant, RangeEnd::kIncluded);
  };
  const auto most = [](const FilterConstant& constant) {
    return leastNumber(constant, RangeEnd::kIncluded);
  };
  const FilterConstant& first = step.constants.front();
  switch (step.operation) {
    case FilterOperation::kLess:
    case FilterOperation::kLessEqual:
      bound.most = most(first);
      break;
    case FilterOperation::kGreater:
    case FilterOperation::kGreaterEqual:
      bound.least = least(first);
      break;
    case FilterOperation::kBetween:
      bound.least = least(first);
      bound.most = most(step.constants.back());
      break;
    case FilterOperation::kEqual:
      for (const FilterConstant& constant : step.constants) {
        bound.least = std::min(bound.least.value_or(least(constant)), least(constant));
        bound.most = std::max(bound.most.value_or(most(constant)), most(constant));
      }
      break;
    default:
      return {};
  }
  return {bound};
}

/// Bounds of rows that satisfy both.
Bounds both(Bounds left, const Bounds& right) {
  for (const ColumnBound& bound : right) {
    ColumnBound* known = find(left, bound.column);
    if (known == nullptr) {
      left.push_back(bound);
      continue;
    }
    if (bound.least) known->least = std::max(known->least.value_or(*bound.least), *bound.least);
    if (bound.most) known->most = std::min(known->most.value_or(*bound.most), *bound.most);
  }
  return left;
}

/// Bounds of rows that satisfy one of them: of the columns that both bound.
Bounds either(const Bounds& left, Bounds right) {
  Bounds common;
  for (ColumnBound bound : left) {
    const ColumnBound* other = find(right, bound.column);
    if (other == nullptr) continue;
    if (!other->least) bound.least.reset();
    if (!other->most) bound.most.reset();
    if (bound.least) bound.least = std::min(*bound.least, *other->least);
    if (bound.most) bound.most = std::max(*bound.most, *other->most);
    if (bound.least || bound.most) common.push_back(std::move(bound));
  }
  return common;
}

}  // namespace

struct Filter::State {
  FilterSyntax syntax;
  std::optional<FilterProgram> program;  // since bind()
};

Filter::Filter(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Result<Filter> Filter::parse(std::string_view expression) {
  PARAPET_ASSIGN(FilterSyntax syntax, parseFilter(expression));
  return Filter(std::make_shared<const State>(State{std::move(syntax), std::nullopt}));
}

const std::vector<std::string>& Filter::columns() const {
  return state_->syntax.columns;
}

Status Filter::bind(std::span<const SourceColumn> columns) {
  PARAPET_ASSIGN(FilterProgram program, FilterProgram::compile(state_->syntax, columns));
  state_ = std::make_shared<const State>(State{state_->syntax, std::move(program)});
  return {};
}

void Filter::select(const RowBlock& block, std::vector<std::uint8_t>& keep) const {
  if (!state_->program) throw InvalidArgument("[data.Filter] select() before bind()");
  keep.resize(static_cast<std::size_t>(block.rows));
  state_->program->run(block, keep.data());
}

std::vector<ColumnBound> Filter::bounds() const {
  // The stack follows that of a program; a negation bounds nothing.
  std::vector<Bounds> stack;
  for (const FilterStep& step : state_->syntax.steps) {
    switch (step.operation) {
      case FilterOperation::kNot:
        stack.back().clear();
        break;
      case FilterOperation::kAnd:
      case FilterOperation::kOr: {
        Bounds right = std::move(stack.back());
        stack.pop_back();
        stack.back() = step.operation == FilterOperation::kAnd
                           ? both(std::move(stack.back()), right)
                           : either(stack.back(), std::move(right));
        break;
      }
      default:
        stack.push_back(boundsOf(state_->syntax, step));
    }
  }
  return std::move(stack.back());
}

}  // namespace parapet::data

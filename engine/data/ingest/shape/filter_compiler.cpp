// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/shape/filter_lexer.h"
#include "engine/data/ingest/shape/filter_parser.h"
#include "engine/data/ingest/shape/filter_program.h"

namespace parapet::data {
namespace {

using Operation = FilterOperation;
using ConstantKind = FilterConstant::Kind;

/// true and false are 1 and 0 where a column holds numbers.
FilterConstant asNumber(FilterConstant constant) {
  if (constant.kind == ConstantKind::kTruth) constant.kind = ConstantKind::kInteger;
  return constant;
}

/// The spellings of true and false that files have.
std::vector<std::string> truthTexts(bool truth) {
  if (truth) return {"true", "True", "TRUE"};
  return {"false", "False", "FALSE"};
}

/// The ends of what an operation lets pass, for values of either kind of number.
struct Ends {
  const FilterConstant* least = nullptr;  // null: none
  const FilterConstant* most = nullptr;
  RangeEnd end = RangeEnd::kIncluded;
};

Ends endsOf(Operation operation, const std::vector<FilterConstant>& constants) {
  const FilterConstant* first = &constants.front();
  switch (operation) {
    case Operation::kLess:
      return {.most = first, .end = RangeEnd::kExcluded};
    case Operation::kLessEqual:
      return {.most = first};
    case Operation::kGreater:
      return {.least = first, .end = RangeEnd::kExcluded};
    case Operation::kGreaterEqual:
      return {.least = first};
    default:  // kEqual, kBetween
      return {.least = first, .most = &constants.back()};
  }
}

IntegerWithin integersWithin(const Ends& ends) {
  IntegerWithin within{std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max()};
  if (ends.least) {
    const auto least = leastInteger(*ends.least, ends.end);
    if (!least) return {};
    within.least = *least;
  }
  if (ends.most) {
    const auto most = mostInteger(*ends.most, ends.end);
    if (!most) return {};
    within.most = *most;
  }
  return within;
}

NumberWithin numbersWithin(const Ends& ends) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {ends.least ? leastNumber(*ends.least, ends.end) : -kInfinity,
          ends.most ? mostNumber(*ends.most, ends.end) : kInfinity};
}

/// Constants that no value of the column can equal are left out.
IntegerIn integersIn(const std::vector<FilterConstant>& constants) {
  std::vector<std::uint64_t> bits;
  for (const FilterConstant& constant : constants) {
    const auto least = leastInteger(constant, RangeEnd::kIncluded);
    if (least && least == mostInteger(constant, RangeEnd::kIncluded))
      bits.push_back(static_cast<std::uint64_t>(*least));
  }
  return {NumberSet(bits)};
}

NumberIn numbersIn(const std::vector<FilterConstant>& constants) {
  std::vector<std::uint64_t> bits;
  for (const FilterConstant& constant : constants) {
    const double least = leastNumber(constant, RangeEnd::kIncluded);
    if (least == mostNumber(constant, RangeEnd::kIncluded)) bits.push_back(NumberIn::bitsOf(least));
  }
  return {NumberSet(bits)};
}

TextIn textsIn(const std::vector<FilterConstant>& constants) {
  std::vector<std::string> texts;
  for (const FilterConstant& constant : constants) {
    if (constant.kind != ConstantKind::kTruth) {
      texts.push_back(constant.text);
      continue;
    }
    for (std::string& text : truthTexts(constant.integer == 1)) texts.push_back(std::move(text));
  }
  return {TextSet(texts)};
}

TextWithin textsWithin(const Ends& ends) {
  const auto end =
      ends.end == RangeEnd::kIncluded ? TextWithin::End::kIncluded : TextWithin::End::kExcluded;
  TextWithin within;
  if (ends.least) {
    within.least = ends.least->text;
    within.leastEnd = end;
  }
  if (ends.most) {
    within.most = ends.most->text;
    within.mostEnd = end;
  }
  return within;
}

}  // namespace

/// Turns the steps of the syntax into those of a program, one for one.
class FilterProgram::Compiler {
 public:
  Compiler(const FilterSyntax& syntax, std::span<const SourceColumn> columns)
      : syntax_(syntax), columns_(columns) {}

  Result<FilterProgram> compile() {
    std::size_t depth = 0;
    for (const FilterStep& step : syntax_.steps) {
      PARAPET_ASSIGN(Step compiled, stepOf(step));
      program_.steps_.push_back(std::move(compiled));
      if (step.operation == Operation::kAnd || step.operation == Operation::kOr) {
        --depth;
      } else if (step.operation != Operation::kNot) {
        program_.depth_ = std::max(program_.depth_, ++depth);
      }
    }
    return std::move(program_);
  }

 private:
  Result<Step> stepOf(const FilterStep& step) {
    switch (step.operation) {
      case Operation::kConstant:
        return Step{.what = Constant{step.constants.front().integer == 1 ? std::uint8_t{2}
                                                                         : std::uint8_t{0}}};
      case Operation::kNot:
      case Operation::kAnd:
      case Operation::kOr:
        return Step{.what = Joint{step.operation}};
      default:
        return testOf(step);
    }
  }

  Result<Step> testOf(const FilterStep& step) {
    PARAPET_ASSIGN(const std::size_t column, columnOf(step));
    Step compiled{.what = IsMissing{}, .column = column, .type = columns_[column].type};
    if (step.operation == Operation::kMissing) return compiled;
    if (compiled.type == ValueType::kText) {
      PARAPET_TRY(holdsTexts(step));
      setTextTest(step, compiled);
      return compiled;
    }
    PARAPET_TRY(holdsNumbers(step, compiled.type));
    std::vector<FilterConstant> constants;
    for (const FilterConstant& constant : step.constants) constants.push_back(asNumber(constant));
    const bool isSet = step.operation == Operation::kEqual && constants.size() > 1;
    const Ends ends = endsOf(step.operation, constants);
    if (compiled.type == ValueType::kInteger) {
      if (isSet) {
        compiled.what = integersIn(constants);
      } else {
        compiled.what = integersWithin(ends);
      }
    } else if (isSet) {
      compiled.what = numbersIn(constants);
    } else {
      compiled.what = numbersWithin(ends);
    }
    return compiled;
  }

  static void setTextTest(const FilterStep& step, Step& compiled) {
    if (step.operation == Operation::kEqual) {
      compiled.what = textsIn(step.constants);
    } else if (step.operation == Operation::kContains) {
      compiled.what = TextContains{step.constants.front().text};
    } else if (step.operation == Operation::kStartsWith) {
      compiled.what = TextStartsWith{step.constants.front().text};
    } else {
      compiled.what = textsWithin(endsOf(step.operation, step.constants));
    }
  }

  Result<std::size_t> columnOf(const FilterStep& step) const {
    const std::string& name = syntax_.columns[step.column];
    const auto found =
        std::find_if(columns_.begin(), columns_.end(),
                     [&](const SourceColumn& column) { return column.name == name; });
    if (found == columns_.end()) {
      std::vector<std::string> names;
      for (const SourceColumn& column : columns_) names.push_back(column.name);
      const std::string guess = didYouMean(name, names);
      return filterError(syntax_.expression, step.at,
                         fmt::format("\"{}\", which is no column{}", printable(name), guess),
                         listed(names));
    }
    if (found->isList)
      return filterError(syntax_.expression, step.at,
                         fmt::format("\"{}\", which has several values a row", printable(name)),
                         "columns with one value a row");
    return static_cast<std::size_t>(found - columns_.begin());
  }

  [[nodiscard]] Error wrongConstant(const FilterStep& step, const FilterConstant& constant,
                                    std::string_view found, std::string_view holds,
                                    std::string_view accepted) const {
    return filterError(syntax_.expression, constant.at,
                       fmt::format("{}, but \"{}\" holds {}", found,
                                   printable(syntax_.columns[step.column]), holds),
                       accepted);
  }

  Status holdsTexts(const FilterStep& step) const {
    for (const FilterConstant& constant : step.constants) {
      const bool isTruth = constant.kind == ConstantKind::kTruth;
      if (constant.kind == ConstantKind::kText || (isTruth && step.operation == Operation::kEqual))
        continue;
      return wrongConstant(step, constant, isTruth ? "true or false" : "a number", "texts",
                           "a text, in quotes");
    }
    return {};
  }

  Status holdsNumbers(const FilterStep& step, ValueType type) const {
    for (const FilterConstant& constant : step.constants)
      if (constant.kind == ConstantKind::kText)
        return wrongConstant(step, constant, "a text",
                             type == ValueType::kInteger ? "integers" : "numbers",
                             "a number, without quotes");
    return {};
  }

  const FilterSyntax& syntax_;
  std::span<const SourceColumn> columns_;
  FilterProgram program_;
};

Result<FilterProgram> FilterProgram::compile(const FilterSyntax& syntax,
                                             std::span<const SourceColumn> columns) {
  return Compiler(syntax, columns).compile();
}

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace parapet::data {

/// The constant that a column is compared with.
struct FilterConstant {
  enum class Kind { kInteger, kNumber, kText, kTruth };
  Kind kind = Kind::kInteger;
  std::int64_t integer = 0;  ///< kInteger; kTruth: 0 or 1
  double number = 0.0;       ///< kNumber
  std::string text;          ///< kText
  std::size_t at = 0;        ///< byte of the expression
};

enum class FilterOperation {
  kConstant,  ///< the constant
  kEqual,     ///< the column is one of the constants
  kLess,      ///< below the constant
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBetween,   ///< from the first constant to the second, ends included
  kContains,  ///< the text holds the constant
  kStartsWith,
  kMissing,  ///< no value
  kNot,      ///< of the result before
  kAnd,      ///< of the two results before
  kOr,
};

struct FilterStep {
  FilterOperation operation = FilterOperation::kConstant;
  std::size_t column = 0;  ///< in FilterSyntax::columns
  std::size_t at = 0;      ///< byte of the expression where the column's name is
  std::vector<FilterConstant> constants{};
};

/// A filter as it is written: comparisons, each followed by what joins it with those before, so
/// that a stack of results evaluates it.
///
///   a = 1 and not b < 2    →    a = 1, b < 2, not, and
struct FilterSyntax {
  std::string expression;
  std::vector<std::string> columns;  ///< each once, in the order of their first use
  std::vector<FilterStep> steps;
};

/// Deeper nesting is refused.
inline constexpr int kMaxFilterDepth = 100;

/// Errors   as filterError.
Result<FilterSyntax> parseFilter(std::string_view expression);

// Values that pass a comparison are those between two ends, which are included. Constants and
// values are compared as the numbers they are: 2^53 + 1 is no double, so no double equals it.

/// Whether the constant itself is among the values.
enum class RangeEnd { kIncluded, kExcluded };

/// The smallest int64 that is ≥ the constant (kExcluded: > it); unset if there is none.
std::optional<std::int64_t> leastInteger(const FilterConstant& constant, RangeEnd end);
/// The largest int64 that is ≤ the constant (kExcluded: < it); unset if there is none.
std::optional<std::int64_t> mostInteger(const FilterConstant& constant, RangeEnd end);
/// The smallest double, infinity among them, that is ≥ the constant (kExcluded: > it).
double leastNumber(const FilterConstant& constant, RangeEnd end);
/// The largest double that is ≤ the constant (kExcluded: < it).
double mostNumber(const FilterConstant& constant, RangeEnd end);

}  // namespace parapet::data

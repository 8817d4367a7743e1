// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/shape/filter_parser.h"
#include "engine/data/ingest/shape/filter_sets.h"

namespace parapet::data {

// What is asked of the values of one column.

struct IntegerWithin {
  using Value = std::int64_t;
  std::int64_t least = 1, most = 0;
  bool operator()(Value value) const { return value >= least && value <= most; }
};
struct NumberWithin {
  using Value = double;
  double least = 1.0, most = 0.0;
  bool operator()(Value value) const { return value >= least && value <= most; }
};
struct IntegerIn {
  using Value = std::int64_t;
  NumberSet set;
  bool operator()(Value value) const { return set.contains(static_cast<std::uint64_t>(value)); }
};
struct NumberIn {
  using Value = double;
  NumberSet set;
  /// + 0.0 makes one zero of the two.
  static std::uint64_t bitsOf(double value) { return std::bit_cast<std::uint64_t>(value + 0.0); }
  bool operator()(Value value) const { return set.contains(bitsOf(value)); }
};
struct TextIn {
  using Value = std::string_view;
  TextSet set;
  bool operator()(Value value) const { return set.contains(value); }
};
/// Compares texts by bytes, which is the order of the characters in UTF-8.
struct TextWithin {
  using Value = std::string_view;
  enum class End { kNone, kIncluded, kExcluded };
  std::string least, most;
  End leastEnd = End::kNone, mostEnd = End::kNone;
  bool operator()(Value value) const {
    if (leastEnd != End::kNone && (leastEnd == End::kIncluded ? value < least : value <= least))
      return false;
    return mostEnd == End::kNone || (mostEnd == End::kIncluded ? value <= most : value < most);
  }
};
struct TextContains {
  using Value = std::string_view;
  std::string part;
  bool operator()(Value value) const { return value.find(part) != Value::npos; }
};
struct TextStartsWith {
  using Value = std::string_view;
  std::string start;
  bool operator()(Value value) const { return value.starts_with(start); }
};
struct IsMissing {};

/// A filter that is fitted to the columns of blocks. A run of rows at a time, every step works on
/// all of the run; results are bytes on a stack, false 0 < unknown 1 < true 2, so that `and` is the
/// smaller of two, `or` the larger, and `not` is 2 minus it (Kleene's logic).
class FilterProgram {
 public:
  /// Errors   as Filter::bind.
  static Result<FilterProgram> compile(const FilterSyntax& syntax,
                                       std::span<const SourceColumn> columns);
  /// keep[i] = 1 if the filter is true of row i, else 0; [block.rows].
  ///
  /// Errors   InvalidArgument for a block whose columns are others.
  void run(const RowBlock& block, std::uint8_t* keep) const;

 private:
  struct Constant {
    std::uint8_t value = 0;
  };
  struct Joint {
    FilterOperation operation = FilterOperation::kNot;
  };
  struct Step {
    std::variant<Constant, Joint, IsMissing, IntegerWithin, NumberWithin, IntegerIn, NumberIn,
                 TextIn, TextWithin, TextContains, TextStartsWith>
        what;
    std::size_t column = 0;  // of the block
    ValueType type = ValueType::kInteger;
  };
  class Compiler;
  class Runner;

  std::vector<Step> steps_;
  std::size_t depth_ = 0;  // most results at a time
};

}  // namespace parapet::data

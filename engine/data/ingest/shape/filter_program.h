// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/row_block.h"
#include "engine/data/ingest/shape/filter_parser.h"

namespace parapet::data {

// Sets of constants that are built once and asked for every row: a few are compared one by one,
// more are found by hash, in a table that is at most half full.

/// Numbers by their bits.
class NumberSet {
 public:
  explicit NumberSet(std::span<const std::uint64_t> numbers);

  [[nodiscard]] bool contains(std::uint64_t number) const {
    if (slots_.empty()) {
      bool found = false;
      for (const std::uint64_t one : numbers_) found |= one == number;
      return found;
    }
    for (std::size_t slot = slotOf(number);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == 0) return false;
      if (numbers_[slots_[slot] - 1] == number) return true;
    }
  }

 private:
  [[nodiscard]] std::size_t slotOf(std::uint64_t number) const {
    return static_cast<std::size_t>(number * 0x9E3779B97F4A7C15u >> shift_);
  }
  std::vector<std::uint64_t> numbers_;  // each once
  std::vector<std::uint32_t> slots_;    // 1 + index of a number, 0: free; empty: compare one by one
  int shift_ = 0;
};

/// Texts.
class TextSet {
 public:
  explicit TextSet(std::span<const std::string> texts);

  [[nodiscard]] bool contains(std::string_view text) const {
    const std::uint64_t head = headOf(text);
    if (slots_.empty()) {
      for (const Entry& entry : entries_)
        if (equals(entry, head, text)) return true;
      return false;
    }
    for (std::size_t slot = slotOf(head, text);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == 0) return false;
      if (equals(entries_[slots_[slot] - 1], head, text)) return true;
    }
  }

 private:
  struct Entry {
    std::uint64_t head = 0;
    std::string text;
  };

  static std::uint64_t load(const char* at, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, bytes);
    return word;
  }
  /// The first eight bytes, zeros behind shorter texts; without a loop over the bytes.
  static std::uint64_t headOf(std::string_view text) {
    const std::size_t size = text.size();
    const char* at = text.data();
    if (size >= 8) return load(at, 8);
    if (size >= 4) return load(at, 4) | load(at + size - 4, 4) << 8 * (size - 4);
    if (size >= 2) return load(at, 2) | load(at + size - 2, 2) << 8 * (size - 2);
    return size == 1 ? load(at, 1) : 0;
  }
  static bool equals(const Entry& entry, std::uint64_t head, std::string_view text) {
    return entry.head == head && entry.text.size() == text.size() &&
           (text.size() <= 8 || std::memcmp(entry.text.data(), text.data(), text.size()) == 0);
  }
  [[nodiscard]] std::size_t slotOf(std::uint64_t head, std::string_view text) const;

  std::vector<Entry> entries_;  // each once
  std::vector<std::uint32_t> slots_;
};

// The test of the values of one column.

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

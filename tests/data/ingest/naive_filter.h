// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/random.h"
#include "engine/data/ingest/sources/source.h"

namespace parapet::test {

/// Random filters with what they mean, said a second time: row by row, with optional truths and
/// numbers that are wide enough for int64 and double alike.

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed, RandomPurpose::kSampling) {}
  std::size_t below(std::size_t bound) { return random_.below(index_++, bound); }
  bool coin() { return below(2) == 0; }
  template <class T>
  T of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  Random random_;
  std::uint64_t index_ = 0;
};

using Truth = std::optional<bool>;
using Number = long double;
/// A cell or a constant; monostate: missing.
using Cell = std::variant<std::monostate, Number, std::string>;

struct NaiveFilter {
  std::string text;
  std::function<Truth(const data::RowBlock&, std::size_t)> evaluate;
};

inline const std::vector<data::SourceColumn>& randomBlockColumns() {
  static const std::vector<data::SourceColumn> columns{
      {"i", data::ValueType::kInteger, false},
      {"x", data::ValueType::kNumber, false},
      {"t", data::ValueType::kText, false},
      {"an odd `name`", data::ValueType::kInteger, false}};
  return columns;
}

inline const std::vector<std::int64_t>& strangeIntegers() {
  using Limits = std::numeric_limits<std::int64_t>;
  static const std::vector<std::int64_t> values{0,
                                                1,
                                                2,
                                                3,
                                                4,
                                                5,
                                                6,
                                                7,
                                                8,
                                                9,
                                                10,
                                                -1,
                                                -2,
                                                (1LL << 53) - 1,
                                                1LL << 53,
                                                (1LL << 53) + 1,
                                                Limits::max() - 1,
                                                Limits::max(),
                                                Limits::min(),
                                                Limits::min() + 1};
  return values;
}
inline const std::vector<double>& strangeNumbers() {
  static const std::vector<double> values{0.0,  -0.0,  0.5,    1.0,        2.0,    2.5,    3.0,
                                          4.0,  5.0,   -1.0,   -1.5,       1e300,  -1e300, 5e-324,
                                          1e19, -1e19, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63};
  return values;
}
inline const std::vector<std::string>& strangeTexts() {
  static const std::vector<std::string> values{"",
                                               "a",
                                               "ab",
                                               "abc",
                                               "abcd",
                                               "abcde",
                                               "abcdefg",
                                               "abcdefgh",
                                               "abcdefghi",
                                               "abcdefghj",
                                               "like",
                                               "listen",
                                               "é",
                                               "éa",
                                               "quo\"te",
                                               "tick'",
                                               "back\\",
                                               "line\n",
                                               "a longer text than sixteen bytes",
                                               "a longer text than sixteen Bytes",
                                               std::string("nul\0", 4)};
  return values;
}

inline data::RowBlock randomBlock(std::size_t rows) {
  Dice dice(7);
  data::RowBlock block;
  block.rows = static_cast<std::int64_t>(rows);
  block.columns.resize(4);
  for (std::size_t c = 0; c < 4; ++c) block.columns[c].type = randomBlockColumns()[c].type;
  for (std::size_t row = 0; row < rows; ++row) {
    block.columns[0].integers.push_back(dice.of(strangeIntegers()));
    const std::size_t special = dice.below(20);
    const double infinity = std::numeric_limits<double>::infinity();
    block.columns[1].numbers.push_back(special == 0   ? std::nan("")
                                       : special == 1 ? infinity
                                       : special == 2 ? -infinity
                                                      : dice.of(strangeNumbers()));
    block.columns[2].texts.push_back(strangeTexts()[dice.below(strangeTexts().size())]);
    block.columns[3].integers.push_back(static_cast<std::int64_t>(dice.below(10)));
    for (std::size_t c = 0; c < 3; ++c) block.columns[c].missing.push_back(dice.below(8) == 0);
  }
  return block;
}

inline Cell cellOf(const data::RowBlock& block, std::size_t column, std::size_t row) {
  const data::ColumnValues& values = block.columns[column];
  if (values.isMissing(row)) return {};
  if (values.type == data::ValueType::kText) return std::string(values.texts[row]);
  if (values.type == data::ValueType::kInteger) return static_cast<Number>(values.integers[row]);
  if (std::isnan(values.numbers[row])) return {};
  return static_cast<Number>(values.numbers[row]);
}

/// Every bound holds for the row.
inline bool isInside(const data::RowBlock& block, std::size_t row,
                     std::span<const data::ColumnBound> bounds) {
  for (const data::ColumnBound& bound : bounds)
    for (std::size_t c = 0; c < 4; ++c) {
      if (randomBlockColumns()[c].name != bound.column) continue;
      const Cell cell = cellOf(block, c, row);
      const auto* number = std::get_if<Number>(&cell);
      if (number == nullptr) return false;
      if (bound.least && *number < static_cast<Number>(*bound.least)) return false;
      if (bound.most && *number > static_cast<Number>(*bound.most)) return false;
    }
  return true;
}

struct NaiveConstant {
  std::string text;
  Cell value;
};

inline std::string inQuotes(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\0') {
      out += "\\u0000";
    } else {
      out += c;
    }
  }
  return out + quote;
}

inline NaiveConstant randomConstant(Dice& dice, bool isText) {
  if (isText) {
    const std::string text = dice.of(strangeTexts());
    return {inQuotes(text, dice.coin() ? '"' : '\''), text};
  }
  if (dice.coin()) {
    const std::int64_t integer = dice.of(strangeIntegers());
    return {fmt::format("{}", integer), static_cast<Number>(integer)};
  }
  const double number = dice.of(strangeNumbers());
  return {fmt::format("{}", number), static_cast<Number>(number)};
}

inline NaiveFilter randomComparison(Dice& dice) {
  const std::size_t column = dice.below(4);
  const bool isText = column == 2;
  std::string name = randomBlockColumns()[column].name;
  if (column == 3 || dice.below(5) == 0) name = inQuotes(name, '`');
  // The result for a present cell.
  std::function<bool(const Cell&)> test;
  std::string text;
  const std::size_t kind = dice.below(isText ? 6 : 4);
  if (kind == 0) {
    const bool isNegated = dice.coin();
    return {name + (isNegated     ? " is not missing"
                    : dice.coin() ? " IS NULL"
                                  : " is missing"),
            [=](const data::RowBlock& block, std::size_t row) -> Truth {
              return std::holds_alternative<std::monostate>(cellOf(block, column, row)) !=
                     isNegated;
            }};
  }
  if (kind == 1) {
    const NaiveConstant constant = randomConstant(dice, isText);
    const std::size_t which = dice.below(6);
    static const char* const kSymbols[]{" = ", "!=", " < ", "<=", " > ", ">="};
    static const char* const kMirrored[]{"==", " <> ", ">", " >= ", "<", " <= "};
    text = dice.coin() ? name + kSymbols[which] + constant.text
                       : constant.text + kMirrored[which] + name;
    test = [which, value = constant.value](const Cell& cell) {
      switch (which) {
        case 0:
          return cell == value;
        case 1:
          return cell != value;
        case 2:
          return cell < value;
        case 3:
          return cell <= value;
        case 4:
          return cell > value;
        default:
          return cell >= value;
      }
    };
  } else if (kind == 2) {
    const NaiveConstant least = randomConstant(dice, isText), most = randomConstant(dice, isText);
    text = name + " between " + least.text + " and " + most.text;
    test = [=](const Cell& cell) { return cell >= least.value && cell <= most.value; };
  } else if (kind == 3) {
    std::vector<Cell> values;
    text = name + " in (";
    for (std::size_t count = 1 + dice.below(14); count > 0; --count) {
      const NaiveConstant constant = randomConstant(dice, isText);
      values.push_back(constant.value);
      text += constant.text + (count > 1 ? ", " : ")");
    }
    test = [values](const Cell& cell) {
      return std::find(values.begin(), values.end(), cell) != values.end();
    };
  } else {
    static const std::vector<std::string> kParts{"a", "ab", "é", "i", "list", "er", "\n", ""};
    const std::string part = dice.of(kParts);
    text = name + (kind == 4 ? " contains " : " Starts With ") + inQuotes(part, '"');
    test = [=](const Cell& cell) {
      const std::string& whole = std::get<std::string>(cell);
      return kind == 4 ? whole.find(part) != std::string::npos : whole.starts_with(part);
    };
  }
  return {text, [=](const data::RowBlock& block, std::size_t row) -> Truth {
            const Cell cell = cellOf(block, column, row);
            if (std::holds_alternative<std::monostate>(cell)) return std::nullopt;
            return test(cell);
          }};
}

inline NaiveFilter randomFilter(Dice& dice, int depth) {
  const std::size_t kind = depth == 0 ? 0 : dice.below(4);
  if (kind == 0) return randomComparison(dice);
  const NaiveFilter left = randomFilter(dice, depth - 1);
  if (kind == 1)
    return {(dice.coin() ? "not (" : "!(") + left.text + ")",
            [=](const data::RowBlock& block, std::size_t row) -> Truth {
              const Truth truth = left.evaluate(block, row);
              if (!truth) return truth;
              return !*truth;
            }};
  const NaiveFilter right = randomFilter(dice, depth - 1);
  // The truth that decides alone.
  const bool decides = kind == 3;
  const char* joint = decides ? (dice.coin() ? " or " : "||") : (dice.coin() ? " AND " : "&&");
  return {"(" + left.text + ")" + joint + "(" + right.text + ")",
          [=](const data::RowBlock& block, std::size_t row) -> Truth {
            const Truth a = left.evaluate(block, row), b = right.evaluate(block, row);
            if (a == decides || b == decides) return decides;
            if (!a || !b) return std::nullopt;
            return !decides;
          }};
}

}  // namespace parapet::test

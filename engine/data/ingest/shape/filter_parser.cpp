// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/filter_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/shape/filter_lexer.h"

namespace parapet::data {
namespace {

using TokenKind = FilterToken::Kind;
using Operation = FilterOperation;

constexpr std::string_view kComparisons =
    "= != < <= > >=, in (…), between … and …, is missing, contains, starts with, not before these";

/// Words that no column is called by without backquotes.
bool isReserved(std::string_view lower) {
  static constexpr std::array<std::string_view, 10> kReserved{
      "and", "or", "not", "in", "is", "between", "true", "false", "null", "missing"};
  return std::find(kReserved.begin(), kReserved.end(), lower) != kReserved.end();
}

/// Recursive descent, one function a level of the grammar:
///
///   any         all { or all }
///   all         one { and one }
///   one         not one | ( any ) | true | false | comparison
///   comparison  column test | constant (= | != | < | …) column
class Parser {
 public:
  Parser(std::string_view expression, std::vector<FilterToken> tokens)
      : tokens_(std::move(tokens)) {
    syntax_.expression = expression;
  }

  Result<FilterSyntax> parse() {
    if (token().kind == TokenKind::kEnd) return expected("a comparison, such as rating >= 4");
    PARAPET_TRY(any(0));
    if (token().kind != TokenKind::kEnd)
      return expected(isSymbol(")") ? "and, or" : "and, or, the end");
    return std::move(syntax_);
  }

 private:
  [[nodiscard]] const FilterToken& token() const { return tokens_[next_]; }
  [[nodiscard]] bool isSymbol(std::string_view symbol) const {
    return token().kind == TokenKind::kSymbol && token().text == symbol;
  }
  [[nodiscard]] bool isWord(std::string_view word) const {
    return token().kind == TokenKind::kWord && toLowerAscii(token().text) == word;
  }
  bool takeSymbol(std::string_view symbol) {
    const bool found = isSymbol(symbol);
    next_ += found ? 1 : 0;
    return found;
  }
  bool takeWord(std::string_view word) {
    const bool found = isWord(word);
    next_ += found ? 1 : 0;
    return found;
  }

  [[nodiscard]] std::string_view spelled(const FilterToken& token) const {
    return std::string_view(syntax_.expression).substr(token.at, token.size);
  }
  /// The token at hand is none of these.
  [[nodiscard]] Error expected(std::string_view accepted) const {
    const std::string found = token().kind == TokenKind::kEnd
                                  ? "the end"
                                  : fmt::format("\"{}\"", printable(spelled(token()), 40));
    return filterError(syntax_.expression, token().at, found, accepted);
  }

  void emit(Operation operation) { syntax_.steps.push_back({.operation = operation}); }

  Status any(int depth) {
    PARAPET_TRY(all(depth));
    while (takeWord("or") || takeSymbol("||")) {
      PARAPET_TRY(all(depth));
      emit(Operation::kOr);
    }
    return {};
  }

  Status all(int depth) {
    PARAPET_TRY(one(depth));
    while (takeWord("and") || takeSymbol("&&")) {
      PARAPET_TRY(one(depth));
      emit(Operation::kAnd);
    }
    return {};
  }

  Status one(int depth) {
    if (depth >= kMaxFilterDepth)
      return expected(fmt::format("at most {} levels of ( and not", kMaxFilterDepth));
    if (takeWord("not") || takeSymbol("!")) {
      PARAPET_TRY(one(depth + 1));
      emit(Operation::kNot);
      return {};
    }
    if (takeSymbol("(")) {
      PARAPET_TRY(any(depth + 1));
      return takeSymbol(")") ? Status{} : expected("and, or, )");
    }
    return comparison();
  }

  Status comparison() {
    const bool isName = token().kind == TokenKind::kName;
    if (isName || (token().kind == TokenKind::kWord && !isReserved(toLowerAscii(token().text)))) {
      FilterStep step = columnStep();
      return test(step);
    }
    if (token().kind == TokenKind::kWord && !isWord("true") && !isWord("false"))
      return expected(
          fmt::format("a column name, a number, a \"text\", not, ( — a column that is "
                      "called so is written `{}`",
                      token().text));
    if (token().kind == TokenKind::kSymbol || token().kind == TokenKind::kEnd)
      return expected("a column name, a number, a \"text\", not, (");
    PARAPET_ASSIGN(FilterConstant left, constant());
    if (left.kind == FilterConstant::Kind::kTruth && !takesMirrored()) {
      syntax_.steps.push_back({.operation = Operation::kConstant, .constants = {left}});
      return {};
    }
    return mirrored(std::move(left));
  }

  [[nodiscard]] bool takesMirrored() const {
    return isSymbol("=") || isSymbol("!=") || isSymbol("<") || isSymbol("<=") || isSymbol(">") ||
           isSymbol(">=");
  }

  /// The step of the column whose name is at hand, still without an operation.
  FilterStep columnStep() {
    FilterStep step;
    step.at = token().at;
    auto& columns = syntax_.columns;
    const auto known = std::find(columns.begin(), columns.end(), token().text);
    step.column = static_cast<std::size_t>(known - columns.begin());
    if (known == columns.end()) columns.push_back(token().text);
    ++next_;
    return step;
  }

  void emit(FilterStep step, bool isNegated) {
    syntax_.steps.push_back(std::move(step));
    if (isNegated) emit(Operation::kNot);
  }

  /// Reads the test that follows a column.
  Status test(FilterStep& step) {
    if (takesMirrored()) return order(step);
    if (takeWord("is")) {
      const bool isNegated = takeWord("not");
      if (!takeWord("missing") && !takeWord("null"))
        return expected(isNegated ? "missing" : "missing, not missing");
      step.operation = Operation::kMissing;
      emit(std::move(step), isNegated);
      return {};
    }
    const bool isNegated = takeWord("not");
    if (takeWord("in")) {
      PARAPET_TRY(list(step));
    } else if (takeWord("between")) {
      PARAPET_TRY(ends(step));
    } else if (takeWord("contains")) {
      step.operation = Operation::kContains;
      PARAPET_TRY(text(step));
    } else if (takeWord("starts")) {
      if (!takeWord("with")) return expected("with, as in: starts with \"…\"");
      step.operation = Operation::kStartsWith;
      PARAPET_TRY(text(step));
    } else {
      return expected(isNegated ? "in, between, contains, starts with" : kComparisons);
    }
    emit(std::move(step), isNegated);
    return {};
  }

  /// = and its like, between a column and a constant.
  Status order(FilterStep& step) {
    const std::string symbol = token().text;
    ++next_;
    PARAPET_TRY(addConstant(step));
    const bool isNegated = setOrder(step, symbol);
    emit(std::move(step), isNegated);
    return {};
  }

  /// Parses a comparison with the constant on the left.
  Status mirrored(FilterConstant left) {
    if (!takesMirrored()) return expected("= != < <= > >= and a column name");
    std::string symbol = token().text;
    ++next_;
    if (symbol[0] == '<' || symbol[0] == '>') symbol[0] = symbol[0] == '<' ? '>' : '<';
    if (token().kind != TokenKind::kName &&
        (token().kind != TokenKind::kWord || isReserved(toLowerAscii(token().text))))
      return expected("a column name, since there is none on the left");
    FilterStep step = columnStep();
    step.constants.push_back(std::move(left));
    const bool isNegated = setOrder(step, symbol);
    emit(std::move(step), isNegated);
    return {};
  }

  /// True if the operation is to be negated.
  static bool setOrder(FilterStep& step, std::string_view symbol) {
    step.operation = symbol == "<"    ? Operation::kLess
                     : symbol == "<=" ? Operation::kLessEqual
                     : symbol == ">"  ? Operation::kGreater
                     : symbol == ">=" ? Operation::kGreaterEqual
                                      : Operation::kEqual;
    return symbol == "!=";
  }

  Status list(FilterStep& step) {
    step.operation = Operation::kEqual;
    if (!takeSymbol("(")) return expected("( and constants with commas between them");
    do {
      PARAPET_TRY(addConstant(step));
    } while (takeSymbol(","));
    return takeSymbol(")") ? Status{} : expected("a comma, )");
  }

  Status ends(FilterStep& step) {
    step.operation = Operation::kBetween;
    PARAPET_TRY(addConstant(step));
    if (!takeWord("and") && !takeSymbol("&&")) return expected("and, and the upper end");
    return addConstant(step);
  }

  Status text(FilterStep& step) {
    if (token().kind != TokenKind::kText) return expected("a \"text\"");
    return addConstant(step);
  }

  Status addConstant(FilterStep& step) {
    PARAPET_ASSIGN(FilterConstant value, constant());
    step.constants.push_back(std::move(value));
    return {};
  }

  Result<FilterConstant> constant() {
    FilterConstant value;
    value.at = token().at;
    switch (token().kind) {
      case TokenKind::kInteger:
        value.integer = token().integer;
        break;
      case TokenKind::kNumber:
        value.kind = FilterConstant::Kind::kNumber;
        value.number = token().number;
        break;
      case TokenKind::kText:
        value.kind = FilterConstant::Kind::kText;
        value.text = token().text;
        break;
      default:
        if (!isWord("true") && !isWord("false")) return noConstant();
        value.kind = FilterConstant::Kind::kTruth;
        value.integer = isWord("true") ? 1 : 0;
    }
    ++next_;
    return value;
  }

  [[nodiscard]] Error noConstant() const {
    if (isWord("null") || isWord("missing"))
      return expected(
          "a number, a \"text\", true, false; values that are not there are asked for "
          "with: is missing");
    const bool isName = token().kind == TokenKind::kWord || token().kind == TokenKind::kName;
    return expected(isName ? "a number, a \"text\" in quotes, true, false"
                           : "a number, a \"text\", true, false");
  }

  FilterSyntax syntax_;
  std::vector<FilterToken> tokens_;
  std::size_t next_ = 0;  // token at hand
};

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
constexpr double kBeyond = 9223372036854775808.0;  // 2^63, the first double that is no int64
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool isNumber(const FilterConstant& constant) {
  return constant.kind == FilterConstant::Kind::kNumber;
}

/// −1, 0 or 1 as the double is below, at or above the integer.
int compare(double number, std::int64_t integer) {
  if (number >= kBeyond) return 1;
  const auto whole = static_cast<std::int64_t>(number);  // of an integer that was rounded: exact
  return whole < integer ? -1 : whole > integer ? 1 : 0;
}

}  // namespace

Result<FilterSyntax> parseFilter(std::string_view expression) {
  PARAPET_ASSIGN(std::vector<FilterToken> tokens, filterTokens(expression));
  return Parser(expression, std::move(tokens)).parse();
}

std::optional<std::int64_t> leastInteger(const FilterConstant& constant, RangeEnd end) {
  std::int64_t least = constant.integer;
  bool isConstant = true;
  if (isNumber(constant)) {
    if (constant.number >= kBeyond) return std::nullopt;
    if (constant.number < -kBeyond) return kFirst;
    least = static_cast<std::int64_t>(std::ceil(constant.number));
    isConstant = std::ceil(constant.number) == constant.number;
  }
  if (end == RangeEnd::kIncluded || !isConstant) return least;
  if (least == kLast) return std::nullopt;
  return least + 1;
}

std::optional<std::int64_t> mostInteger(const FilterConstant& constant, RangeEnd end) {
  std::int64_t most = constant.integer;
  bool isConstant = true;
  if (isNumber(constant)) {
    if (constant.number < -kBeyond) return std::nullopt;
    if (constant.number >= kBeyond) return kLast;
    most = static_cast<std::int64_t>(std::floor(constant.number));
    isConstant = std::floor(constant.number) == constant.number;
  }
  if (end == RangeEnd::kIncluded || !isConstant) return most;
  if (most == kFirst) return std::nullopt;
  return most - 1;
}

double leastNumber(const FilterConstant& constant, RangeEnd end) {
  const double near = isNumber(constant) ? constant.number : static_cast<double>(constant.integer);
  const int side = isNumber(constant) ? 0 : compare(near, constant.integer);
  const bool passes = side > 0 || (side == 0 && end == RangeEnd::kIncluded);
  return passes ? near : std::nextafter(near, kInfinity);
}

double mostNumber(const FilterConstant& constant, RangeEnd end) {
  const double near = isNumber(constant) ? constant.number : static_cast<double>(constant.integer);
  const int side = isNumber(constant) ? 0 : compare(near, constant.integer);
  const bool passes = side < 0 || (side == 0 && end == RangeEnd::kIncluded);
  return passes ? near : std::nextafter(near, -kInfinity);
}

}  // namespace parapet::data

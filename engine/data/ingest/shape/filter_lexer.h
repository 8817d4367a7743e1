// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace parapet::data {

/// A word of a filter expression.
struct FilterToken {
  enum class Kind {
    kWord,     ///< a column name or a keyword
    kName,     ///< a column name in backquotes
    kText,     ///< in quotes
    kInteger,  ///< fits int64
    kNumber,   ///< any other number
    kSymbol,   ///< = != < <= > >= ( ) , ! && ||
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::size_t at = 0;    ///< byte of the expression where it begins
  std::size_t size = 0;  ///< bytes that it takes there
  std::string text;      ///< what it says: escapes resolved; symbols of one meaning spelled alike
  std::int64_t integer = 0;
  double number = 0.0;
};

/// Longer expressions are refused.
inline constexpr std::size_t kMaxFilterBytes = 1 << 16;

/// The words of an expression, the last of which is the end.
///
/// Errors   as filterError, for what is no word.
Result<std::vector<FilterToken>> filterTokens(std::string_view expression);

/// InvalidDocument at /dataset/filter that shows the position:
///
///   filter, character 9: found "lik"; accepted: a comparison
///     a = 1 and lik
///               ^
///
/// `at` is a byte of the expression; columns are counted in characters. Long expressions are shown
/// around the position.
Error filterError(std::string_view expression, std::size_t at, std::string_view found,
                  std::string_view accepted);

}  // namespace parapet::data

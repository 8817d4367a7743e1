// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/filter_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

// Bytes of a long expression that are shown on each side of the position.
constexpr std::size_t kShownBytes = 60;

bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool startsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool isInWord(char c) {
  return startsWord(c) || isDigit(c) || c == '.';
}
bool isContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !isContinuation(c); }));
}

std::string_view characterAt(std::string_view text, std::size_t at) {
  std::size_t end = std::min(at + 1, text.size());
  while (end < text.size() && isContinuation(text[end])) ++end;
  return text.substr(at, end - at);
}

void appendUtf8(std::string& out, std::uint32_t code) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (code < 0x80) {
    out += byte(code);
  } else if (code < 0x800) {
    out += {byte(0xC0 | code >> 6), byte(0x80 | (code & 0x3F))};
  } else {
    out += {byte(0xE0 | code >> 12), byte(0x80 | (code >> 6 & 0x3F)), byte(0x80 | (code & 0x3F))};
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view expression) : expression_(expression) {}

  Result<std::vector<FilterToken>> tokens() {
    std::vector<FilterToken> tokens;
    for (;;) {
      while (at_ < expression_.size() && isSpace(expression_[at_])) ++at_;
      FilterToken token;
      token.at = at_;
      if (at_ < expression_.size()) PARAPET_TRY(read(token));
      token.size = at_ - token.at;
      tokens.push_back(std::move(token));
      if (tokens.back().kind == FilterToken::Kind::kEnd) return tokens;
    }
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < expression_.size() ? expression_[at_ + ahead] : '\0';
  }

  Status read(FilterToken& token) {
    const char c = peek();
    if (c == '"' || c == '\'' || c == '`') return readQuoted(token);
    const bool isSigned = c == '-' || c == '+';
    const char first = isSigned ? peek(1) : c;
    if (isDigit(first) || (first == '.' && isDigit(peek(isSigned ? 2 : 1))))
      return readNumber(token);
    if (startsWord(c)) {
      const std::size_t begin = at_;
      while (isInWord(peek())) ++at_;
      token.kind = FilterToken::Kind::kWord;
      token.text = expression_.substr(begin, at_ - begin);
      return {};
    }
    return readSymbol(token);
  }

  Status readSymbol(FilterToken& token) {
    // Longest first.
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kSymbols{
        {{"==", "="},
         {"!=", "!="},
         {"<>", "!="},
         {"<=", "<="},
         {">=", ">="},
         {"&&", "&&"},
         {"||", "||"},
         {"=", "="},
         {"<", "<"},
         {">", ">"},
         {"(", "("},
         {")", ")"},
         {",", ","},
         {"!", "!"}}};
    for (const auto& [spelled, meant] : kSymbols) {
      if (!expression_.substr(at_).starts_with(spelled)) continue;
      at_ += spelled.size();
      token.kind = FilterToken::Kind::kSymbol;
      token.text = meant;
      return {};
    }
    return filterError(expression_, at_,
                       fmt::format("\"{}\"", printable(expression_.substr(at_, 1))),
                       "column names, numbers, \"texts\", = != < <= > >= ( ) ,");
  }

  Status readNumber(FilterToken& token) {
    const std::size_t begin = at_;
    // A letter or a dot behind digits is part of what should have been a number.
    for (++at_; isInWord(peek()) || ((peek() == '-' || peek() == '+') && isExponent()); ++at_) {
    }
    const std::string_view spelled = expression_.substr(begin, at_ - begin);
    const std::string_view digits = spelled.front() == '+' ? spelled.substr(1) : spelled;
    if (const auto integer = parseInt(digits)) {
      token.kind = FilterToken::Kind::kInteger;
      token.integer = *integer;
      return {};
    }
    const auto number = parseDouble(digits);
    if (!number || !std::isfinite(*number))
      return filterError(expression_, begin, fmt::format("\"{}\"", printable(spelled)),
                         "a number such as 12, -0.5 or 1e6; texts are in quotes, names that begin "
                         "with a digit in `backquotes`");
    token.kind = FilterToken::Kind::kNumber;
    token.number = *number;
    return {};
  }
  /// The byte before is the e of 1e-6.
  [[nodiscard]] bool isExponent() const {
    const char before = expression_[at_ - 1];
    return (before == 'e' || before == 'E') && isDigit(peek(1));
  }

  Status readQuoted(FilterToken& token) {
    const char quote = peek();
    for (++at_; at_ < expression_.size() && peek() != quote;) {
      if (peek() == '\\') {
        PARAPET_TRY(readEscape(token.text));
      } else {
        token.text += expression_[at_++];
      }
    }
    if (at_ == expression_.size())
      return filterError(
          expression_, token.at, fmt::format("a {} that is not closed", quote),
          fmt::format("another {} at the end of the {}", quote, quote == '`' ? "name" : "text"));
    ++at_;
    token.kind = quote == '`' ? FilterToken::Kind::kName : FilterToken::Kind::kText;
    return {};
  }

  Status readEscape(std::string& out) {
    static constexpr std::string_view kSpelled = "\\\"'`/nrt", kMeant = "\\\"'`/\n\r\t";
    const std::size_t known = kSpelled.find(peek(1));
    if (at_ + 1 < expression_.size() && known != std::string_view::npos) {
      out += kMeant[known];
      at_ += 2;
      return {};
    }
    if (peek(1) == 'u') {
      const std::string_view digits = expression_.substr(at_ + 2, 4);
      std::uint32_t code = 0;
      const char* end = digits.data() + digits.size();
      const auto [stop, error] = std::from_chars(digits.data(), end, code, 16);
      const bool isSurrogate = code >= 0xD800 && code < 0xE000;
      if (digits.size() == 4 && error == std::errc{} && stop == end && !isSurrogate) {
        appendUtf8(out, code);
        at_ += 6;
        return {};
      }
    }
    return filterError(
        expression_, at_, fmt::format("\"\\{}\"", printable(characterAt(expression_, at_ + 1))),
        R"(\\ \" \' \` \n \r \t, or \u and the four hexadecimal digits of a character)");
  }

  std::string_view expression_;
  std::size_t at_ = 0;
};

/// The byte of the first invalid character, if there is one.
std::optional<std::size_t> badByte(std::string_view text) {
  if (isValidUtf8(text)) return std::nullopt;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin + 1;
    while (end < text.size() && isContinuation(text[end])) ++end;
    if (!isValidUtf8(text.substr(begin, end - begin))) return begin;
    begin = end;
  }
  return text.size();
}

}  // namespace

Result<std::vector<FilterToken>> filterTokens(std::string_view expression) {
  if (expression.size() > kMaxFilterBytes)
    return filterError(expression, kMaxFilterBytes,
                       fmt::format("{} bytes", formatCount(std::ssize(expression))),
                       fmt::format("at most {} bytes", formatCount(std::int64_t{kMaxFilterBytes})));
  if (const auto bad = badByte(expression))
    return filterError(expression, *bad, "bytes that are no UTF-8", "UTF-8");
  return Lexer(expression).tokens();
}

Error filterError(std::string_view expression, std::size_t at, std::string_view found,
                  std::string_view accepted) {
  at = std::min(at, expression.size());
  std::size_t begin = at > kShownBytes ? at - kShownBytes : 0;
  std::size_t end = std::min(expression.size(), at + kShownBytes);
  for (int i = 0; i < 3 && begin > 0 && isContinuation(expression[begin]); ++i) --begin;
  for (int i = 0; i < 3 && end < expression.size() && isContinuation(expression[end]); ++i) ++end;
  // One line, whatever is in it; a tab or an end of line takes one column.
  const auto line = [](std::string_view part) {
    std::string spaced(part);
    std::replace_if(spaced.begin(), spaced.end(), isSpace, ' ');
    return printable(spaced, spaced.size());
  };
  const std::string before = (begin > 0 ? "…" : "") + line(expression.substr(begin, at - begin));
  const std::string after =
      line(expression.substr(at, end - at)) + (end < expression.size() ? "…" : "");
  return Error{.code = ErrorCode::kInvalidDocument,
               .message = fmt::format("filter, character {}: found {}; accepted: {}\n  {}{}\n  {}^",
                                      characters(expression.substr(0, at)) + 1, found, accepted,
                                      before, after, std::string(characters(before), ' ')),
               .pointer = "/dataset/filter"};
}

}  // namespace parapet::data

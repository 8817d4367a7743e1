// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parapet {

/// Splits at every `separator`; an empty text gives one empty field. Views into `text`.
std::vector<std::string_view> splitFields(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// ASCII letters in lower case, other bytes as they are.
std::string toLowerAscii(std::string_view text);

/// Whole-text parses, independent of locale; nullopt unless every byte belongs to the number.
std::optional<std::int64_t> parseInt(std::string_view text);
std::optional<double> parseDouble(std::string_view text);
/// A loss or metric with so many decimals; one of more than nine digits before the point as
/// 1.2346e+60.
std::string formatValue(double value, int decimals);

/// ISO-8859-1 to UTF-8. Every byte string is valid Latin-1.
std::string latin1ToUtf8(std::string_view bytes);
bool isValidUtf8(std::string_view bytes);
/// A character of UTF-8.
struct Utf8Character {
  char32_t point = 0;
  std::size_t bytes = 0;  ///< 0: the bytes are not UTF-8
};
/// The character that begins at `at`, inside of the text.
Utf8Character decodeUtf8(std::string_view text, std::size_t at);
/// Whether a terminal obeys a character rather than shows it, or the character reorders what stands
/// beside it: C0, DEL, C1, line and paragraph separators, and the controls of bidirectional text.
bool isControl(char32_t point);
/// Bytes quoted in a message: control characters and bytes that are not UTF-8 become \t, \xNN or
/// \uNNNN; the text is cut after `maxBytes` with "…".
std::string printable(std::string_view bytes, std::size_t maxBytes = 60);

/// The treatment of line ends and tabs by terminalText.
enum class LineEnds {
  kKeep,    ///< for an answer of several lines
  kEscape,  ///< for one line or one cell: text of others must not begin a line of its own
};
/// Text as a terminal may be shown it. Titles, file names and arguments can hold escape sequences,
/// C1 controls, controls of bidirectional text and bytes that are not UTF-8: each becomes \xNN or
/// \uNNNN, so that it is seen and not obeyed. Whatever else there is stays.
std::string terminalText(std::string_view bytes, LineEnds lineEnds);

/// The candidate nearest to `word` by edit distance, exchanged neighbours counted once, if it is
/// near enough to be a typo; for "did you mean".
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);
/// " (did you mean \"x\"?)" or "".
std::string didYouMean(std::string_view word, std::span<const std::string> candidates);
/// a, b, c
std::string join(std::span<const std::string> parts, std::string_view separator = ", ");

/// "1.50 GiB", "912 B".
std::string formatBytes(std::uint64_t bytes);
/// "0.8 s", "3 min 20 s", "2 h 05 min".
std::string formatDuration(double seconds);
/// Thousands separated: 1,234,567.
std::string formatCount(std::int64_t count);

}  // namespace parapet

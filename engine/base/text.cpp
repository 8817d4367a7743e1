// SPDX-License-Identifier: Apache-2.0
#include "engine/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

namespace parapet {
namespace {

// Length of the valid UTF-8 sequence that starts at `at`, or 0.
std::size_t utf8Length(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > bytes.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(at + 1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second >= 0xA0;
  const bool tooLarge = lead == 0xF4 && second >= 0x90;
  return overlong || surrogate || tooLarge ? 0 : length;
}

// Appends the character at `at`, escaped if it is a control or no UTF-8, and moves `at` behind it.
void appendEscaped(std::string& out, std::string_view bytes, std::size_t& at) {
  const auto [point, length] = decodeUtf8(bytes, at);
  if (length > 0 && !isControl(point))
    out += bytes.substr(at, length);
  else if (bytes[at] == '\t')
    out += "\\t";
  else if (length <= 1)
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[at]));
  else
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
  at += std::max<std::size_t>(length, 1);
}

// Insertions, deletions, substitutions and exchanges of neighbours that turn `a` into `b`.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
    }
    std::swap(beforeLast, last);
    std::swap(last, row);
  }
  return last.back();
}

template <class Number>
std::optional<Number> parseNumber(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string_view> splitFields(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = text.find(separator);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string toLowerAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<std::int64_t> parseInt(std::string_view text) {
  return parseNumber<std::int64_t>(text);
}

std::optional<double> parseDouble(std::string_view text) {
  return parseNumber<double>(text);
}

std::string latin1ToUtf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return out;
}

bool isValidUtf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    // Most text is ASCII, which is checked eight bytes at a time.
    std::uint64_t word = 0;
    if (bytes.size() - i >= sizeof(word)) {
      std::memcpy(&word, bytes.data() + i, sizeof(word));
      if ((word & 0x8080808080808080u) == 0) {
        i += sizeof(word);
        continue;
      }
    }
    const std::size_t length = utf8Length(bytes, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

Utf8Character decodeUtf8(std::string_view text, std::size_t at) {
  constexpr std::array<unsigned char, 5> kLeadBits{0, 0x7F, 0x1F, 0x0F, 0x07};
  const std::size_t length = utf8Length(text, at);
  char32_t point = static_cast<unsigned char>(text[at]) & kLeadBits[length];
  for (std::size_t i = 1; i < length; ++i)
    point = (point << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return {point, length};
}

bool isControl(char32_t point) {
  const auto within = [point](char32_t low, char32_t high) {
    return point >= low && point <= high;
  };
  return point < 0x20 || within(0x7F, 0x9F) || point == 0x061C || within(0x200E, 0x200F) ||
         within(0x2028, 0x202E) || within(0x2066, 0x2069) || point == 0xFEFF ||
         within(0xFFF9, 0xFFFB);
}

std::string printable(std::string_view bytes, std::size_t maxBytes) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    if (at >= maxBytes) return out + "…";
    appendEscaped(out, bytes, at);
  }
  return out;
}

std::string terminalText(std::string_view bytes, LineEnds lineEnds) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const bool keeps = lineEnds == LineEnds::kKeep && (bytes[at] == '\n' || bytes[at] == '\t');
    if (keeps)
      out += bytes[at++];
    else
      appendEscaped(out, bytes, at);
  }
  return out;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  // A mistake in every three letters is a typo; of "lr", no other word is left.
  std::size_t bestDistance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = editDistance(word, candidate);
    if (distance < bestDistance && distance < std::max(word.size(), candidate.size())) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

std::string didYouMean(std::string_view word, std::span<const std::string> candidates) {
  const auto candidate = nearest(word, candidates);
  return candidate ? fmt::format(" (did you mean \"{}\"?)", *candidate) : std::string{};
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string formatBytes(std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024.0 && unit + 1 < kUnits.size(); ++unit) value /= 1024.0;
  return fmt::format("{:.2f} {}", value, kUnits[unit]);
}

std::string formatDuration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string formatValue(double value, int decimals) {
  return std::abs(value) < 1e9 ? fmt::format("{:.{}f}", value, decimals)
                               : fmt::format("{:.{}e}", value, decimals);
}

std::string formatCount(std::int64_t count) {
  const std::string digits = fmt::format("{}", count);
  const std::size_t sign = count < 0 ? 1 : 0;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > sign && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

}  // namespace parapet

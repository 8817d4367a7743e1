// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/time_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "engine/base/text.h"

namespace parapet::data {
namespace {

/// Takes what it can from the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool atEnd() const { return rest_.empty(); }
  /// Takes the next character if it is one of these; '\0' if it is not.
  char takeOneOf(std::string_view accepted) {
    if (rest_.empty() || accepted.find(rest_.front()) == std::string_view::npos) return '\0';
    const char taken = rest_.front();
    rest_.remove_prefix(1);
    return taken;
  }
  /// Exactly so many digits, as a number in [least, most].
  std::optional<std::int64_t> digits(std::size_t count, std::int64_t least, std::int64_t most) {
    if (rest_.size() < count) return std::nullopt;
    std::int64_t value = 0;
    for (const char digit : rest_.substr(0, count)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      value = 10 * value + (digit - '0');
    }
    if (value < least || value > most) return std::nullopt;
    rest_.remove_prefix(count);
    return value;
  }
  [[nodiscard]] bool startsWithDigit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  bool takeWord(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// All digits that follow, as millionths of the unit that they are parts of.
  std::int32_t millionths() {
    std::int32_t value = 0;
    for (std::int32_t weight = 100'000; startsWithDigit(); weight /= 10)
      value += weight * (takeOneOf("0123456789") - '0');
    return value;
  }

 private:
  std::string_view rest_;
};

std::int64_t daysOfMonth(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && isLeap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

/// The four digits of a year, or the last two of one from 1970 to 2069.
std::optional<std::int64_t> yearOf(Cursor& at, bool mayBeShort) {
  if (const auto year = at.digits(4, 1, 9999)) return year;
  const auto year = mayBeShort ? at.digits(2, 0, 99) : std::nullopt;
  return year ? std::optional(*year + (*year < 70 ? 2000 : 1900)) : std::nullopt;
}

/// Day and month of one or two digits, then the year, with a separator after each of the two.
std::optional<std::int64_t> dayBeforeYear(Cursor& at, char separator, DateOrder order) {
  const auto take = [&at, separator](std::int64_t most) {
    auto found = at.digits(2, 1, most);
    if (!found) found = at.digits(1, 1, most);
    return found && at.takeOneOf({&separator, 1}) != '\0' ? found : std::nullopt;
  };
  const bool isMonthFirst = order == DateOrder::kMonthFirst;
  const auto first = take(isMonthFirst ? 12 : 31);
  const auto second = first ? take(isMonthFirst ? 31 : 12) : std::nullopt;
  const auto year = second ? yearOf(at, order != DateOrder::kUnknown) : std::nullopt;
  if (!year) return std::nullopt;
  const auto [month, day] = isMonthFirst ? std::pair(*first, *second) : std::pair(*second, *first);
  if (day > daysOfMonth(*year, month)) return std::nullopt;
  return daysSince1970(*year, month, day);
}

std::optional<std::int64_t> dayOf(Cursor& at, std::string_view text, DateOrder order) {
  const std::size_t first = text.find_first_of("./-");
  if (first == 1 || first == 2) {
    // A point stands behind the day wherever dates have one; other marks leave the order open.
    if (order == DateOrder::kUnknown && text[first] != '.') return std::nullopt;
    return dayBeforeYear(at, text[first], order);
  }
  const auto year = at.digits(4, 1, 9999);
  const char separator = at.takeOneOf("-/");
  const auto month = at.digits(2, 1, 12);
  if (!year || !month) return std::nullopt;
  if (separator != '\0' && at.takeOneOf({&separator, 1}) == '\0') return std::nullopt;
  const auto day = at.digits(2, 1, daysOfMonth(*year, *month));
  return day ? std::optional(daysSince1970(*year, *month, *day)) : std::nullopt;
}

/// The hour of a clock of twice twelve hours, if AM or PM follows; nullopt if such a clock has no
/// such hour.
std::optional<std::int64_t> hourWithHalf(Cursor& at, std::int64_t hour) {
  Cursor ahead = at;
  ahead.takeOneOf(" ");
  const char half = ahead.takeOneOf("AaPp");
  if (half == '\0' || ahead.takeOneOf("Mm") == '\0') return hour;
  at = ahead;
  if (hour < 1 || hour > 12) return std::nullopt;
  return hour % 12 + (half == 'P' || half == 'p' ? 12 : 0);
}

/// Since midnight.
std::optional<Moment> timeOfDay(Cursor& at) {
  auto hour = at.digits(2, 0, 23);
  const bool isShort = !hour;
  if (isShort) hour = at.digits(1, 0, 9);
  const bool hasColon = at.takeOneOf(":") != '\0';
  if (isShort && !hasColon) return std::nullopt;
  const auto minute = at.digits(2, 0, 59);
  if (!hour || !minute) return std::nullopt;
  std::int64_t second = 0;
  std::int32_t microseconds = 0;
  if (hasColon ? at.takeOneOf(":") != '\0' : at.startsWithDigit()) {
    // A leap second is the first one of the next minute.
    const auto given = at.digits(2, 0, 60);
    if (!given) return std::nullopt;
    second = *given;
    if (at.takeOneOf(".,") != '\0') microseconds = at.millionths();
  }
  if (hasColon) hour = hourWithHalf(at, *hour);
  if (!hour) return std::nullopt;
  return Moment{*hour * 3600 + *minute * 60 + second, microseconds};
}

/// Seconds by which the clock is ahead of UTC.
std::optional<std::int64_t> offsetFromUtc(Cursor& at) {
  at.takeOneOf(" ");
  if (at.atEnd() || at.takeOneOf("Zz") != '\0' || at.takeWord("UTC") || at.takeWord("GMT"))
    return 0;
  const char sign = at.takeOneOf("+-");
  if (sign == '\0') return std::nullopt;
  const auto hours = at.digits(2, 0, 14);
  if (!hours) return std::nullopt;
  std::int64_t minutes = 0;
  if (!at.atEnd()) {
    at.takeOneOf(":");
    const auto given = at.digits(2, 0, 59);
    if (!given) return std::nullopt;
    minutes = *given;
  }
  const std::int64_t seconds = *hours * 3600 + minutes * 60;
  return sign == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<Moment> parseTimeText(std::string_view text, DateOrder order) {
  text = trim(text);
  Cursor at(text);
  const auto day = dayOf(at, text, order);
  if (!day) return std::nullopt;
  const std::int64_t midnight = *day * 86400;
  if (at.atEnd()) return Moment{midnight, 0};
  const bool isDigits = text.find_first_not_of("0123456789") == std::string_view::npos;
  if (at.takeOneOf(" Tt") == '\0' && !(isDigits && text.size() == 14)) return std::nullopt;
  const auto time = timeOfDay(at);
  if (!time) return std::nullopt;
  const auto ahead = offsetFromUtc(at);
  if (!ahead || !at.atEnd()) return std::nullopt;
  return Moment{midnight + time->seconds - *ahead, time->microseconds};
}

std::string lateTimesWarning(std::int64_t late, std::int64_t times) {
  if (late == 0) return {};
  return fmt::format(
      "{} of {} times are after the year 2100: {} may be milliseconds, and seconds since 1970 were "
      "read; /dataset/times names the unit of a column",
      formatCount(late), formatCount(times), late == times ? "they" : "these");
}

}  // namespace parapet::data

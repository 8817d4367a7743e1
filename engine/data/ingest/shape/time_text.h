// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace parapet::data {

/// A moment on the wall clock, in the Gregorian calendar.
struct CivilTime {
  std::int64_t day = 0;   ///< since 1 January 1970
  std::int64_t hour = 0;  ///< 0 … 23
};

/// The wall clock `utcOffsetMinutes` ahead of UTC, of seconds since 1970 of either sign. Exact for
/// every int64; |utcOffsetMinutes| < 1440.
constexpr CivilTime civilTime(std::int64_t seconds, std::int64_t utcOffsetMinutes) {
  constexpr std::int64_t kDay = 86400;
  // Rounded down, before the offset is added, so that nothing overflows.
  std::int64_t day = seconds / kDay, second = seconds % kDay;
  second += utcOffsetMinutes * 60;
  while (second < 0) {
    second += kDay;
    --day;
  }
  while (second >= kDay) {
    second -= kDay;
    ++day;
  }
  return {day, second / 3600};
}

/// 0 Monday … 6 Sunday; 1 January 1970 was a Thursday.
constexpr std::int64_t weekdayOf(std::int64_t day) {
  return ((day % 7) + 7 + 3) % 7;
}

/// 1 … 12. Days are counted within eras of 400 years that begin on 1 March, so that the leap day is
/// the last of its year; then months of 31 and 30 days alternate every 153 days.
constexpr std::int64_t monthOf(std::int64_t day) {
  constexpr std::int64_t kEra = 146097, kFromMarchOf0 = 719468;
  std::int64_t ofEra = day % kEra + kFromMarchOf0 % kEra;
  ofEra = (ofEra % kEra + kEra) % kEra;
  const std::int64_t year = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / (kEra - 1)) / 365;
  const std::int64_t ofYear = ofEra - (365 * year + year / 4 - year / 100);
  const std::int64_t fromMarch = (5 * ofYear + 2) / 153;
  return fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
}

/// Days from 1 January 1970 to a day of the Gregorian calendar; month 1 … 12, day 1 … 31, year ≥ 1.
constexpr std::int64_t daysSince1970(std::int64_t year, std::int64_t month, std::int64_t day) {
  constexpr std::int64_t kEra = 146097, kFromMarchOf0 = 719468;
  const std::int64_t march = month > 2 ? month - 3 : month + 9;
  if (month <= 2) --year;
  const std::int64_t era = year / 400, ofEra = year % 400;
  const std::int64_t ofYear = (153 * march + 2) / 5 + day - 1;
  return era * kEra + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - kFromMarchOf0;
}

/// The first seconds of 1980 and 2100: a number between them is a time if the question is which
/// unit a column of times has.
inline constexpr std::int64_t kStartOf1980 = 315'532'800, kStartOf2100 = 4'102'444'800;

/// Warns that some times, read as seconds, are after the year 2100, as milliseconds would be; "" where `late` is 0.
std::string lateTimesWarning(std::int64_t late, std::int64_t times);

/// A moment as exact as a text gives it.
struct Moment {
  std::int64_t seconds = 0;       ///< since 1970, rounded down
  std::int32_t microseconds = 0;  ///< beyond them, in [0, 10⁶)
  bool operator==(const Moment&) const = default;
};

/// The position of the day in dates like "5/6/2024".
enum class DateOrder { kUnknown, kDayFirst, kMonthFirst };

/// The moment of a date, "2024-05-31", "2024/05/31", "20240531" or "31.5.2024", with a time of day
/// after a space or a T if there is one ("18:30", "6:30 PM", "18:30:05", "183005", "18:30:05.25": what
/// is below a microsecond is cut off), and with Z, " UTC", " GMT", "+02:00" or "-0530" after that;
/// without, it is UTC. Fourteen digits are a date and a time. Years 0001 to 9999 of the Gregorian
/// calendar (ISO 8601). With an order of day and month, "31/5/2024", "31-5-2024" and years of two
/// digits (1970 to 2069) as well. nullopt for anything else.
std::optional<Moment> parseTimeText(std::string_view text, DateOrder order = DateOrder::kUnknown);

}  // namespace parapet::data

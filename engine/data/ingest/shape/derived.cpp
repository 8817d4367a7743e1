// SPDX-License-Identifier: Apache-2.0
#include "engine/data/ingest/shape/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/text.h"
#include "engine/data/ingest/shape/time_text.h"

namespace parapet::data {
namespace {

using experiment::Derived;
using experiment::DerivedKind;

constexpr std::array<std::string_view, 4> kTimesOfDay{"night", "morning", "afternoon", "evening"};
constexpr std::array<std::string_view, 7> kWeekdays{"monday", "tuesday",  "wednesday", "thursday",
                                                    "friday", "saturday", "sunday"};
constexpr std::array<std::string_view, 2> kWeekends{"workday", "weekend"};

bool isInteger(DerivedKind kind) {
  return kind == DerivedKind::kHour || kind == DerivedKind::kMonth;
}

/// The texts of bucket 0 … bounds.
std::vector<std::string> bucketTexts(const std::vector<double>& bounds) {
  std::vector<std::string> numbers;
  for (const double bound : bounds) numbers.push_back(fmt::format("{}", bound + 0.0));  // no "-0"
  std::vector<std::string> texts{"< " + numbers.front()};
  for (std::size_t i = 1; i < numbers.size(); ++i)
    texts.push_back(fmt::format("{} – {}", numbers[i - 1], numbers[i]));
  texts.push_back("≥ " + numbers.back());
  return texts;
}

Error derivedError(std::size_t index, std::string_view key, std::string message) {
  return Error{.code = ErrorCode::kInvalidDocument,
               .message = std::move(message),
               .pointer = fmt::format("/dataset/derived/{}/{}", index, key)};
}

Status checkBounds(const Derived& spec, std::size_t index) {
  if (spec.kind != DerivedKind::kBuckets) return {};
  if (spec.bounds.empty())
    return derivedError(index, "bounds", "no bounds; accepted: ascending numbers");
  for (std::size_t i = 0; i < spec.bounds.size(); ++i) {
    const bool ascends = i == 0 || spec.bounds[i - 1] < spec.bounds[i];
    if (std::isfinite(spec.bounds[i]) && ascends) continue;
    return derivedError(
        index, "bounds",
        fmt::format("{} at position {}; accepted: ascending numbers", spec.bounds[i], i + 1));
  }
  return {};
}

Result<std::size_t> columnFor(const Derived& spec, std::size_t index,
                              std::span<const SourceColumn> columns) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    names.push_back(columns[i].name);
    if (columns[i].name != spec.from) continue;
    if (columns[i].type != ValueType::kText && !columns[i].isList) return i;
    return derivedError(index, "from",
                        fmt::format("\"{}\" holds {}; accepted: a column with one number a row",
                                    printable(spec.from), columns[i].isList ? "lists" : "texts"));
  }
  return derivedError(index, "from",
                      fmt::format("there is no column \"{}\"{}; accepted: {}", printable(spec.from),
                                  didYouMean(spec.from, names), listed(names)));
}

/// The moment that a number is, if it is one.
std::optional<std::int64_t> secondsOf(double number) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (!(number >= -kBeyond && number < kBeyond)) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(number));
}
std::optional<std::int64_t> secondsOf(std::int64_t seconds) {
  return seconds;
}

/// How many bounds a number has reached.
template <class Value>
std::size_t bucketOf(const std::vector<double>& bounds, Value value) {
  const auto number = static_cast<double>(value);
  return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), number) -
                                  bounds.begin());
}

std::int64_t integerOf(DerivedKind kind, const CivilTime& time) {
  return kind == DerivedKind::kHour ? time.hour : monthOf(time.day);
}

std::string_view textOf(DerivedKind kind, const CivilTime& time) {
  switch (kind) {
    case DerivedKind::kTimeOfDay:
      return kTimesOfDay[static_cast<std::size_t>(time.hour / 6)];
    case DerivedKind::kWeekday:
      return kWeekdays[static_cast<std::size_t>(weekdayOf(time.day))];
    default:
      return kWeekends[weekdayOf(time.day) >= 5 ? 1 : 0];
  }
}

/// The cells of a derived column, from values that stand for themselves.
class Cells {
 public:
  Cells(const Derived& spec, const std::vector<std::string>& buckets, std::size_t rows)
      : spec_(spec), buckets_(buckets) {
    column_.type = isInteger(spec.kind) ? ValueType::kInteger : ValueType::kText;
    if (isInteger(spec.kind)) {
      column_.integers.resize(rows);
    } else {
      column_.texts.resize(rows);
    }
  }

  template <class Value>
  void set(std::size_t row, Value value) {
    if (spec_.kind == DerivedKind::kBuckets) {
      if (value != value) return miss(row);  // NaN
      column_.texts[row] = buckets_[bucketOf(spec_.bounds, value)];
      return;
    }
    const auto seconds = secondsOf(value);
    if (!seconds) return miss(row);
    const CivilTime time = civilTime(*seconds, spec_.utcOffsetMinutes);
    if (isInteger(spec_.kind)) {
      column_.integers[row] = integerOf(spec_.kind, time);
    } else {
      column_.texts[row] = textOf(spec_.kind, time);
    }
  }

  void miss(std::size_t row) {
    if (column_.missing.empty())
      column_.missing.resize(std::max(column_.integers.size(), column_.texts.size()));
    column_.missing[row] = 1;
  }

  ColumnValues take() { return std::move(column_); }

 private:
  const Derived& spec_;
  const std::vector<std::string>& buckets_;
  ColumnValues column_;
};

}  // namespace

Result<DerivedColumns> DerivedColumns::bind(std::span<const Derived> derived,
                                            std::span<const std::string> wanted,
                                            std::span<const SourceColumn> columns) {
  DerivedColumns bound;
  bound.columns_ = columns.size();
  const auto isCalled = [](const std::string& name) {
    return [&name](const SourceColumn& column) { return column.name == name; };
  };
  for (std::size_t i = 0; i < derived.size(); ++i) {
    const Derived& spec = derived[i];
    if (std::find(wanted.begin(), wanted.end(), spec.name) == wanted.end()) continue;
    if (std::any_of(columns.begin(), columns.end(), isCalled(spec.name)) ||
        std::any_of(bound.layout_.begin(), bound.layout_.end(), isCalled(spec.name)))
      return derivedError(i, "name",
                          fmt::format("there is a column \"{}\" already; accepted: another name",
                                      printable(spec.name)));
    PARAPET_TRY(checkBounds(spec, i));
    PARAPET_ASSIGN(const std::size_t from, columnFor(spec, i, columns));
    bound.steps_.push_back({spec, from, columns[from].type,
                            spec.kind == DerivedKind::kBuckets ? bucketTexts(spec.bounds)
                                                               : std::vector<std::string>{}});
    bound.layout_.push_back(
        {spec.name, isInteger(spec.kind) ? ValueType::kInteger : ValueType::kText, false});
  }
  return bound;
}

void DerivedColumns::append(RowBlock& block) const {
  if (block.columns.size() != columns_)
    throw InvalidArgument(fmt::format("[data.DerivedColumns] a block of {} columns, bound to {}",
                                      block.columns.size(), columns_));
  const auto rows = static_cast<std::size_t>(block.rows);
  block.columns.reserve(columns_ + steps_.size());
  for (const Step& step : steps_) {
    const ColumnValues& from = block.columns[step.from];
    if (from.type != step.fromType)
      throw InvalidArgument(
          fmt::format("[data.DerivedColumns] column {} is of another type", step.from));
    Cells cells(step.spec, step.buckets, rows);
    for (std::size_t row = 0; row < rows; ++row) {
      if (from.isMissing(row)) {
        cells.miss(row);
      } else if (from.type == ValueType::kInteger) {
        cells.set(row, from.integers[row]);
      } else {
        cells.set(row, from.numbers[row]);
      }
    }
    block.columns.push_back(cells.take());
  }
}

}  // namespace parapet::data

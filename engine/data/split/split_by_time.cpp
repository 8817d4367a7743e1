// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "engine/data/split/split_kinds.h"

namespace parapet::data {
namespace {

using Moment = std::int64_t;  // seconds since 1970

/// Borders of the parts; all intervals are half open.
struct Borders {
  Moment trainEnd, validationBegin, validationEnd, testBegin, testEnd;
};

struct Range {
  Moment first, last;  ///< of all rows
};

Range rangeOf(const EventColumns& events) {
  Range range{std::numeric_limits<Moment>::max(), std::numeric_limits<Moment>::min()};
  events.forEachRow([&](std::int64_t row) {
    const Moment time = events.times[static_cast<std::size_t>(row)];
    range.first = std::min(range.first, time);
    range.last = std::max(range.last, time);
  });
  return range;
}

// The latest moment m such that at least `wanted` rows have m ≤ time < end: the interval that holds
// it is cut into buckets, whose rows are counted, and narrowed to one bucket until that is a
// second. If there are too few rows, the first moment.
Moment beginOf(const EventColumns& events, Moment first, Moment end, std::int64_t wanted) {
  constexpr std::uint64_t kBuckets = 1 << 16;
  std::vector<std::int64_t> counts(kBuckets);
  Moment low = first, high = end;
  while (high > low) {
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t width = (span - 1) / kBuckets + 1;
    std::fill(counts.begin(), counts.end(), 0);
    events.forEachRow([&](std::int64_t row) {
      const Moment time = events.times[static_cast<std::size_t>(row)];
      if (time >= low && time < high)
        ++counts[(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(low)) / width];
    });
    auto bucket = static_cast<std::int64_t>((span - 1) / width);
    while (bucket >= 0 && counts[static_cast<std::size_t>(bucket)] < wanted)
      wanted -= counts[static_cast<std::size_t>(bucket--)];
    if (bucket < 0) return low;
    low += bucket * static_cast<Moment>(width);
    if (width == 1) return low;
    high = std::min(high, low + static_cast<Moment>(width));
  }
  return low;
}

std::int64_t rowsBefore(const EventColumns& events, Moment end) {
  std::int64_t count = 0;
  events.forEachRow(
      [&](std::int64_t row) { count += events.times[static_cast<std::size_t>(row)] < end; });
  return count;
}

/// What the lengths of parts are given in.
enum class Length { kSeconds, kRows };

// A part that ends at `end`: its begin, by seconds or by the rows it should have. A part without
// length begins where it ends.
Moment partBegin(const EventColumns& events, const Range& range, Moment end,
                 const std::optional<std::int64_t>& seconds, std::int64_t rows, Length length) {
  if (length == Length::kSeconds) return end - seconds.value_or(0);
  return rows > 0 ? beginOf(events, std::min(range.first, end), end, rows) : end;
}

Borders bordersOf(const EventColumns& events, const experiment::Split& spec) {
  const Range range = rangeOf(events);
  const Length length =
      spec.validationSeconds || spec.testSeconds ? Length::kSeconds : Length::kRows;
  Borders borders{};
  borders.testEnd = spec.end.value_or(range.last + 1);
  const std::int64_t whole = length == Length::kSeconds ? 0 : rowsBefore(events, borders.testEnd);
  borders.testBegin = partBegin(events, range, borders.testEnd, spec.testSeconds,
                                amountOf(spec.test, whole), length);
  const bool hasTest = borders.testBegin < borders.testEnd;
  borders.validationEnd = borders.testBegin - (hasTest ? spec.gapSeconds : 0);
  borders.validationBegin = partBegin(events, range, borders.validationEnd, spec.validationSeconds,
                                      amountOf(spec.validation, whole), length);
  const bool hasValidation = borders.validationBegin < borders.validationEnd;
  borders.trainEnd = borders.validationBegin - (hasValidation ? spec.gapSeconds : 0);
  return borders;
}

}  // namespace

PartBits cutByTime(const EventColumns& events, const experiment::Split& spec) {
  const Borders borders = bordersOf(events, spec);
  PartBits parts(events.rows);
  events.forEachRow([&](std::int64_t row) {
    const Moment time = events.times[static_cast<std::size_t>(row)];
    if (time < borders.trainEnd)
      setRow(parts.train, row);
    else if (time >= borders.validationBegin && time < borders.validationEnd)
      setRow(parts.validation, row);
    else if (time >= borders.testBegin && time < borders.testEnd)
      setRow(parts.test, row);
  });
  return parts;
}

}  // namespace parapet::data

// SPDX-License-Identifier: Apache-2.0
#include "engine/data/split/split_timeline.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace parapet::data {
namespace {

/// Books rows of a part at their time.
class Booking {
 public:
  Booking(const Dataset& dataset, SplitTimeline& timeline, int bins)
      : times_(dataset.times()), timeline_(timeline) {
    timeline.hasTimes = !times_.empty();
    if (!timeline.hasTimes) return;
    const auto [least, most] = std::ranges::minmax(times_);
    std::int64_t unit = 0;  // that all rows are multiples of behind the first
    for (const std::int64_t time : times_) {
      unit = std::gcd(unit, time - least);
      if (unit == 1) break;
    }
    unit = std::max<std::int64_t>(unit, 1);
    const std::int64_t units = (most - least) / unit + 1;
    const std::int64_t unitsOfBin = (units + bins - 1) / bins;
    const std::int64_t used = (units + unitsOfBin - 1) / unitsOfBin;
    length_ = unitsOfBin * unit;
    timeline.begin = least;
    timeline.end = least + used * length_;
    timeline.bins.resize(static_cast<std::size_t>(used));
  }
  void add(std::int64_t row, SplitTimeline::Part part) {
    const auto booked = timeline_.totals[part]++;
    if (!timeline_.hasTimes) return;
    const std::int64_t time = times_[static_cast<std::size_t>(row)];
    ++timeline_.bins[static_cast<std::size_t>((time - timeline_.begin) / length_)][part];
    SplitTimeline::Span& span = timeline_.spans[part];
    span.first = booked == 0 ? time : std::min(span.first, time);
    span.last = booked == 0 ? time : std::max(span.last, time);
  }

 private:
  std::span<const std::int64_t> times_;
  SplitTimeline& timeline_;
  std::int64_t length_ = 1;  // of a bin, in seconds
};

}  // namespace

SplitTimeline splitTimeline(const Dataset& dataset, const Split& split, int bins) {
  if (bins < 1) throw InvalidArgument("splitTimeline: bins must be at least 1");
  SplitTimeline timeline;
  if (dataset.rows() == 0) return timeline;
  Booking booking(dataset, timeline, bins);
  const auto rows = static_cast<std::size_t>(dataset.rows());
  std::vector<bool> taken(rows);
  const auto book = [&](const RowSet& set, SplitTimeline::Part part) {
    set.forEach([&](std::int64_t row) {
      taken[static_cast<std::size_t>(row)] = true;
      booking.add(row, part);
    });
  };
  book(split.train, SplitTimeline::kTrain);
  book(split.validation, SplitTimeline::kValidation);
  book(split.test, SplitTimeline::kTest);
  for (std::size_t row = 0; row < rows; ++row)
    if (!taken[row]) booking.add(static_cast<std::int64_t>(row), SplitTimeline::kLeftOut);
  return timeline;
}

std::vector<CoveragePoint> coverageCurve(const Vocabulary& vocabulary, int points) {
  if (points < 1) throw InvalidArgument("coverageCurve: points must be at least 1");
  std::vector<std::int64_t> counts;
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < vocabulary.size(); ++row) {
    const std::int64_t count = vocabulary.count(row);
    total += count;
    // Row 0 is what is not covered.
    if (row > 0 && count > 0) counts.push_back(count);
  }
  std::vector<CoveragePoint> curve;
  if (counts.empty()) return curve;
  std::ranges::sort(counts, std::greater<>());
  std::partial_sum(counts.begin(), counts.end(), counts.begin());
  const auto all = static_cast<double>(counts.size());
  for (int point = 0; point < points; ++point) {
    const double part = points == 1 ? 1.0 : static_cast<double>(point) / (points - 1);
    const auto ids =
        std::clamp(std::llround(std::pow(all, part)), 1LL, static_cast<long long>(counts.size()));
    if (!curve.empty() && curve.back().ids == ids) continue;
    curve.push_back({ids, static_cast<double>(counts[static_cast<std::size_t>(ids - 1)]) /
                              static_cast<double>(total)});
  }
  return curve;
}

}  // namespace parapet::data

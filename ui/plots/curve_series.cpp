// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/result.h"

namespace parapet::ui {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void hideNotPositive(std::vector<double>& values) {
  for (double& value : values)
    if (!(value > 0.0)) value = kNaN;
}

}  // namespace

DebiasedEma::DebiasedEma(double weight) : weight_(weight) {
  if (!(weight >= 0.0 && weight < 1.0))
    throw InvalidArgument(
        fmt::format("[plots.DebiasedEma] weight {}; accepted is 0 ≤ weight < 1", weight));
}

std::vector<experiment::StepBucket> DebiasedEma::smooth(
    std::span<const experiment::StepBucket> buckets) {
  std::vector<experiment::StepBucket> smoothed(buckets.begin(), buckets.end());
  for (experiment::StepBucket& bucket : smoothed) {
    if (!std::isfinite(bucket.last)) continue;
    const double steps = static_cast<double>(bucket.lastStep - bucket.firstStep + 1);
    const double past = std::pow(weight_, steps);
    mean_ = past * mean_ + (1.0 - past) * bucket.last;
    mass_ = past * mass_ + (1.0 - past);
    bucket.min = bucket.max = bucket.last = mean_ / mass_;
  }
  return smoothed;
}

void CurveSeries::append(std::span<const experiment::StepBucket> buckets) {
  raw_.append(buckets);
  if (ema_) smooth_.append(ema_->smooth(buckets));
}

void CurveSeries::truncateAfter(std::int64_t step) {
  raw_.truncateAfter(step);
  // The average depends on all that came before, so it is made again from what is left.
  if (ema_) setSmoothing(ema_->weight());
}

void CurveSeries::setSmoothing(double weight) {
  smooth_.clear();
  ema_.reset();
  if (weight == 0.0) return;
  ema_.emplace(weight);
  smooth_.append(ema_->smooth(raw_.leaves()));
}

double CurveSeries::positionOfPoint(const CurvePoint& point, XAxis axis) const {
  const auto perEpoch = static_cast<double>(stepsPerEpoch_);
  switch (axis) {
    case XAxis::kStep:
      return std::isnan(point.step) && stepsPerEpoch_ > 0 ? point.epoch * perEpoch : point.step;
    case XAxis::kEpoch:
      return std::isnan(point.epoch) && stepsPerEpoch_ > 0 ? point.step / perEpoch : point.epoch;
    case XAxis::kSeconds:
      return point.seconds;
  }
  return kNaN;
}

DrawnCurve CurveSeries::drawSteps(XAxis axis, StepRange range, std::size_t width) const {
  DrawnCurve drawn;
  const std::vector<experiment::StepBucket> buckets = raw_.query(range, width);
  // Raw and smoothed hold the same steps, so the same question gives the same blocks.
  const std::vector<experiment::StepBucket> line = ema_ ? smooth_.query(range, width) : buckets;
  drawn.x.reserve(buckets.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const double x = positionOf(buckets[i], axis, stepsPerEpoch_);
    drawn.x.push_back(x);
    drawn.y.push_back(line[i].last);
    if (band_) {
      drawn.lower.push_back(buckets[i].min);
      drawn.upper.push_back(buckets[i].max);
    }
    if (buckets[i].nonFinite > 0) drawn.nonFiniteX.push_back(x);
  }
  return drawn;
}

DrawnCurve CurveSeries::drawPoints(XAxis axis, double from, double to, std::size_t width) const {
  DrawnCurve all;
  bool hasBand = false;
  for (const CurvePoint& point : points_) {
    const double x = positionOfPoint(point, axis);
    if (std::isnan(x)) continue;
    all.x.push_back(x);
    all.y.push_back(std::isfinite(point.value) ? point.value : kNaN);
    all.lower.push_back(point.low);
    all.upper.push_back(point.high);
    hasBand = hasBand || std::isfinite(point.low);
    if (!std::isfinite(point.value)) all.nonFiniteX.push_back(x);
  }
  if (!hasBand || !band_) all.lower.clear(), all.upper.clear();
  if (!std::ranges::is_sorted(all.x)) return all;
  // One neighbour on either side, so that the line leaves the view.
  const auto first = std::ranges::lower_bound(all.x, from) - all.x.begin();
  const auto last = std::ranges::upper_bound(all.x, to) - all.x.begin();
  const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, first - 1));
  const auto end = std::min(all.x.size(), static_cast<std::size_t>(last) + 1);
  DrawnCurve drawn;
  drawn.nonFiniteX = std::move(all.nonFiniteX);
  const std::size_t per = (end - begin) / std::max<std::size_t>(1, width) + 1;
  if (end - begin <= 2 * width) {
    const auto some = [&](const std::vector<double>& of) {
      if (of.empty()) return of;
      return std::vector(of.begin() + static_cast<std::ptrdiff_t>(begin),
                         of.begin() + static_cast<std::ptrdiff_t>(end));
    };
    drawn.x = some(all.x);
    drawn.y = some(all.y);
    drawn.lower = some(all.lower);
    drawn.upper = some(all.upper);
    return drawn;
  }
  // Blocks counted from the first point, so that panning does not make the curve shimmer.
  for (std::size_t block = begin / per * per; block < end; block += per) {
    std::size_t low = block, high = block;
    for (std::size_t i = block; i < std::min(block + per, all.x.size()); ++i) {
      if (all.y[i] < all.y[low] || std::isnan(all.y[low])) low = i;
      if (all.y[i] > all.y[high] || std::isnan(all.y[high])) high = i;
    }
    for (const std::size_t i : {std::min(low, high), std::max(low, high)}) {
      drawn.x.push_back(all.x[i]);
      drawn.y.push_back(all.y[i]);
      if (low == high) break;
    }
  }
  return drawn;
}

DrawnCurve CurveSeries::draw(XAxis axis, double from, double to, std::size_t width,
                             bool logarithmic) const {
  DrawnCurve drawn;
  if (kind_ == Kind::kSteps) {
    drawn = drawSteps(axis, raw_.stepsBetween(axis, from, to, stepsPerEpoch_), width);
  } else if (kind_ == Kind::kLevel) {
    drawn.x = {from, to};
    drawn.y = {level_, level_};
  } else {
    drawn = drawPoints(axis, from, to, width);
  }
  if (logarithmic) {
    hideNotPositive(drawn.y);
    hideNotPositive(drawn.lower);
    hideNotPositive(drawn.upper);
  }
  return drawn;
}

std::optional<std::pair<double, double>> CurveSeries::extent(XAxis axis) const {
  if (kind_ == Kind::kSteps) {
    if (raw_.empty()) return std::nullopt;
    return std::pair{positionOf(raw_.leaves().front(), axis, stepsPerEpoch_),
                     positionOf(raw_.leaves().back(), axis, stepsPerEpoch_)};
  }
  std::optional<std::pair<double, double>> extent;
  for (const CurvePoint& point : points_) {
    const double x = positionOfPoint(point, axis);
    if (std::isnan(x)) continue;
    if (!extent) extent = {x, x};
    extent = {std::min(extent->first, x), std::max(extent->second, x)};
  }
  return extent;
}

CurveSummary CurveSeries::summary() const {
  if (kind_ == Kind::kLevel) return {level_, level_, level_};
  if (kind_ == Kind::kSteps) {
    const experiment::StepBucket total = raw_.total();
    return {total.last, total.min, total.max};
  }
  CurveSummary summary{kNaN, kNaN, kNaN};
  for (const CurvePoint& point : points_) {
    if (!std::isfinite(point.value)) continue;
    // fmin and fmax ignore the NaN that stands for "none yet".
    summary = {point.value, std::fmin(summary.min, point.value),
               std::fmax(summary.max, point.value)};
  }
  return summary;
}

}  // namespace parapet::ui

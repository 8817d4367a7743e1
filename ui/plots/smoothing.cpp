// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/smoothing.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/result.h"

namespace parapet::ui {

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

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/experiment/step_ring.h"

namespace parapet::ui {

/// Exponential moving average without the pull towards 0 at its start.
///
///   m ← w·m + (1 − w)·x,  c ← w·c + (1 − w),  out = m / c
///
/// It runs over every point before the curve is reduced to pixels, so zooming does not change it.
///
/// Shapes   one value in, one value out.
/// Units    of the input; w is the weight of the past, 0 leaves the input as it is.
/// Order    in the order of the steps; a merged bucket of n steps counts as n steps of its last
/// value. Errors   InvalidArgument unless 0 ≤ w < 1. Thread   one at a time.
class DebiasedEma {
 public:
  explicit DebiasedEma(double weight);
  /// The buckets with min = max = last = the average; those without a finite value stay out of it
  /// and keep their count.
  std::vector<experiment::StepBucket> smooth(std::span<const experiment::StepBucket> buckets);
  [[nodiscard]] double weight() const { return weight_; }

 private:
  double weight_;
  double mean_ = 0.0, mass_ = 0.0;
};

}  // namespace parapet::ui

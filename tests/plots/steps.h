// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/experiment/step_ring.h"

namespace parapet::ui::test {

/// A loss without noise generator: falls like 1/step and swings, so neighbours differ.
inline double lossAt(std::int64_t step) {
  const auto x = static_cast<double>(step);
  return 5.0 + 4.0 / (1.0 + x / 100.0) + 0.3 * std::sin(x * 1.7);
}

inline experiment::StepBucket stepOf(std::int64_t step, double loss, std::int64_t perEpoch = 80) {
  return {step, step, (step - 1) / perEpoch + 1,        loss,
          loss, loss, static_cast<double>(step) * 0.01, 0};
}

inline experiment::StepBucket nanStep(std::int64_t step) {
  experiment::StepBucket bucket = stepOf(step, NAN);
  bucket.nonFinite = 1;
  return bucket;
}

/// Steps first … last with lossAt.
inline std::vector<experiment::StepBucket> steps(std::int64_t first, std::int64_t last) {
  std::vector<experiment::StepBucket> buckets;
  for (std::int64_t step = first; step <= last; ++step)
    buckets.push_back(stepOf(step, lossAt(step)));
  return buckets;
}

}  // namespace parapet::ui::test

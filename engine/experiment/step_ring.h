// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "engine/experiment/run_event.h"

namespace parapet::experiment {

/// Consecutive steps that are drawn as one mark. A single step has min = max = last. Non-finite losses
/// are counted separately and do not enter min, max or last (last is NaN if there was no finite one).
struct StepBucket {
  std::int64_t firstStep = 0, lastStep = 0;
  std::int64_t epoch = 0;  ///< of the last step
  double min = 0.0, max = 0.0, last = 0.0;
  double seconds = 0.0;  ///< of the last step
  std::int64_t nonFinite = 0;
};

/// `next` joined to `bucket`, which ends before it. Non-finite steps are counted and stay out of
/// min, max and last.
void joinBucket(StepBucket& bucket, const StepBucket& next);

/// Fixed-size hand-over of step points from a run's thread to a reader. When it is full,
/// neighbouring buckets are merged pairwise (min / max / last), so the writer never waits and no
/// extreme is lost.
///
/// Thread   one writer, one reader; the lock is held for a copy of at most `capacity` buckets.
class StepRing {
 public:
  /// capacity ≥ 2.
  explicit StepRing(std::size_t capacity = 4096);
  void push(const StepPoint& point);
  /// Moves everything out, oldest first, into `out` (replaced).
  void drain(std::vector<StepBucket>& out);

 private:
  std::mutex mutex_;
  const std::size_t capacity_;
  std::int64_t stepsPerBucket_ = 1;  ///< grows when full, returns to 1 when drained
  std::vector<StepBucket> buckets_;
};

}  // namespace parapet::experiment

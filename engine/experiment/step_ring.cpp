// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/step_ring.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parapet::experiment {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

StepBucket bucketOf(const StepPoint& point) {
  const bool finite = std::isfinite(point.loss);
  const double loss = finite ? point.loss : kNaN;
  return {.firstStep = point.step,
          .lastStep = point.step,
          .epoch = point.epoch,
          .min = loss,
          .max = loss,
          .last = loss,
          .seconds = point.seconds,
          .nonFinite = finite ? 0 : 1};
}

void mergePairs(std::vector<StepBucket>& buckets) {
  std::size_t kept = 0;
  for (std::size_t index = 0; index < buckets.size(); index += 2) {
    buckets[kept] = buckets[index];
    if (index + 1 < buckets.size()) joinBucket(buckets[kept], buckets[index + 1]);
    ++kept;
  }
  buckets.resize(kept);
}

}  // namespace

// fmin and fmax pass over NaN, the value of a bucket without a finite loss.
void joinBucket(StepBucket& bucket, const StepBucket& next) {
  bucket.lastStep = next.lastStep;
  bucket.epoch = next.epoch;
  bucket.min = std::fmin(bucket.min, next.min);
  bucket.max = std::fmax(bucket.max, next.max);
  if (!std::isnan(next.last)) bucket.last = next.last;
  bucket.seconds = next.seconds;
  bucket.nonFinite += next.nonFinite;
}

StepRing::StepRing(std::size_t capacity) : capacity_(capacity) {
  if (capacity < 2) throw InvalidArgument("[experiment.StepRing] the capacity must be at least 2");
  buckets_.reserve(capacity);
}

void StepRing::push(const StepPoint& point) {
  const StepBucket bucket = bucketOf(point);
  const std::lock_guard lock(mutex_);
  if (!buckets_.empty()) {
    StepBucket& open = buckets_.back();
    const std::int64_t steps = open.lastStep - open.firstStep + 1;
    if (steps < stepsPerBucket_) {
      joinBucket(open, bucket);
      return;
    }
  }
  if (buckets_.size() == capacity_) {
    mergePairs(buckets_);
    stepsPerBucket_ *= 2;
  }
  buckets_.push_back(bucket);
}

void StepRing::drain(std::vector<StepBucket>& out) {
  out.clear();
  out.reserve(capacity_);
  const std::lock_guard lock(mutex_);
  out.swap(buckets_);
  stepsPerBucket_ = 1;
}

}  // namespace parapet::experiment

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/experiment/step_ring.h"

namespace parapet::ui {

/// The quantity that a curve is drawn against.
enum class XAxis {
  kStep,     ///< training steps of the run, from 1
  kEpoch,    ///< epochs completed: the end of the first epoch is at 1
  kSeconds,  ///< seconds since the run started training, over all its processes
};

/// Steps from `first` to `last`, both included; empty if first > last.
struct StepRange {
  std::int64_t first = 0, last = -1;
};

/// Levels of detail of one step series.
///
/// A block of level L is the steps [b·2^L, (b+1)·2^L), counted from step 0, never from the start of
/// a view or a batch of arrivals. So panning does not make a curve shimmer, and a series that
/// arrived step by step while training looks like the same series read at once after a restart.
/// Every third level is stored, the two between are merged when asked for: 1.15 buckets a
/// step in all.
///
/// A bucket that arrives wider than one step (the ring was full) cannot be divided: it belongs to
/// the block of its last step. Extremes are never lost.
///
/// Thread   one at a time.
class Pyramid {
 public:
  using StepBucket = experiment::StepBucket;

  /// Appends buckets that follow the ones here.
  /// Errors   InvalidArgument if a bucket starts before step 0, ends before it starts, or does not
  ///          start after lastStep(); buckets before it stay appended.
  void append(std::span<const StepBucket> buckets);

  /// Forgets every bucket that reaches beyond `step`: a run resumed from a checkpoint of that step
  /// goes on from there. A merged bucket across `step` goes too, since it holds steps that did not
  /// happen.
  void truncateAfter(std::int64_t step);
  void clear();

  /// At most `maxBuckets` buckets that cover `range`, of the finest level that fits. Buckets at the
  /// borders are whole, so they may reach outside.
  ///
  /// Units    min, max, last as they came; NaN where a bucket holds no finite value.
  /// Order    ascending by step.
  /// Errors   InvalidArgument if maxBuckets is 0.
  [[nodiscard]] std::vector<StepBucket> query(StepRange range, std::size_t maxBuckets) const;

  /// The steps from the last one at or before position `from` to the first one at or after `to`, so
  /// that a line through them leaves the view on both sides. Epoch and seconds must not fall along
  /// the series.
  [[nodiscard]] StepRange stepsBetween(XAxis axis, double from, double to,
                                       std::int64_t stepsPerEpoch) const;
  /// The newest bucket that ends at or before a position; null if there is none.
  [[nodiscard]] const StepBucket* at(XAxis axis, double position, std::int64_t stepsPerEpoch) const;

  /// Everything as it arrived, ascending.
  [[nodiscard]] std::span<const StepBucket> leaves() const;
  /// All steps as one bucket (min, max, last, nonFinite); lastStep −1 if empty.
  [[nodiscard]] StepBucket total() const;
  [[nodiscard]] bool empty() const { return levels_.empty(); }
  /// −1 if empty.
  [[nodiscard]] std::int64_t lastStep() const;
  /// Buckets held over all levels; grows linearly with the steps.
  [[nodiscard]] std::size_t storedBuckets() const;

 private:
  void appendOne(const StepBucket& bucket);
  void growTo(std::int64_t lastStep);

  /// levels_[i] holds the blocks of level 3·i; levels_[0] the buckets as they came.
  std::vector<std::vector<StepBucket>> levels_;
};

/// Where a bucket ends on an axis. Epochs are fractions, step / stepsPerEpoch; with stepsPerEpoch 0
/// (not known) the whole epoch of the bucket.
double positionOf(const experiment::StepBucket& bucket, XAxis axis, std::int64_t stepsPerEpoch);

}  // namespace parapet::ui

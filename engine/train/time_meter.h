// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/base/clock.h"
#include "engine/experiment/time_use.h"
#include "engine/nn/step_plan.h"

namespace parapet::train {

/// Adds up where the time of training steps goes: for those who watch, a few times a second, and
/// for the epoch. Allocates nothing per step once it knows the number of ranks.
class TimeMeter {
 public:
  /// `features`: names of the lookups of a plan, in their order.
  explicit TimeMeter(std::vector<std::string> features);
  /// Between two reports; a person sees no more.
  static constexpr double kReportSeconds = 0.25;

  /// A finished step: what the plan measured, what the input made it wait, what the step took.
  void add(const nn::StepTimes& step, double inputSeconds, double stepSeconds);
  /// What the ids of a lookup came to in that step.
  void addIds(std::size_t lookup, const nn::FeatureCounts& counts);
  /// The steps since the last report, if kReportSeconds have gone by.
  std::optional<experiment::TimeUse> due();
  /// The steps of the epoch so far.
  [[nodiscard]] const experiment::TimeUse& epoch() const { return epoch_; }
  /// A resumed epoch goes on where its checkpoint was.
  void restoreEpoch(const experiment::TimeUse& before);
  void endEpoch() { epoch_ = none_; }

 private:
  experiment::TimeUse none_;  // no step, with the names of the features
  experiment::TimeUse recent_, epoch_;
  Stopwatch sinceReport_;
};

}  // namespace parapet::train

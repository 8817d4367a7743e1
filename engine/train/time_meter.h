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
  /// Between two reports; a person sees no more.
  static constexpr double kReportSeconds = 0.25;

  /// A finished step: what the plan measured, what the input made it wait, what the step took.
  void add(const nn::StepTimes& step, double inputSeconds, double stepSeconds);
  /// The steps since the last report, if kReportSeconds have gone by.
  std::optional<experiment::TimeUse> due();
  /// The steps of the epoch so far.
  [[nodiscard]] const experiment::TimeUse& epoch() const { return epoch_; }
  /// A resumed epoch goes on where its checkpoint was.
  void restoreEpoch(experiment::TimeUse before) { epoch_ = std::move(before); }
  void endEpoch() { epoch_ = {}; }

 private:
  experiment::TimeUse recent_, epoch_;
  Stopwatch sinceReport_;
};

}  // namespace parapet::train

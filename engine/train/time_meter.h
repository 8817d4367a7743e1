// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/base/clock.h"
#include "engine/experiment/time_use.h"
#include "engine/nn/step_runner.h"

namespace parapet::train {

/// Adds up where the time of training steps goes: for live display, a few times per second, and
/// for the epoch. Allocates nothing per step once it knows how many ranks there are.
class TimeMeter {
 public:
  /// `features`: names of the lookups of a plan, in their order.
  explicit TimeMeter(std::vector<std::string> features);
  /// Between two reports: frequent enough for a person.
  static constexpr double kReportSeconds = 0.25;

  /// Adds a finished step: the times that the plan measured, the wait for the input, the step
  /// itself.
  void add(const nn::StepTimes& step, double inputSeconds, double stepSeconds);
  /// Adds the statistics of the ids of a lookup in that step.
  void addIds(std::size_t lookup, const nn::FeatureCounts& counts);
  /// Adds what the cache of a table was asked for in that step.
  void addCache(const std::string& table, const nn::CacheCounts& counts);
  /// The steps since the last report, if kReportSeconds have passed.
  std::optional<experiment::TimeUse> due();
  /// The steps since the last report, of a run that ends; none if there are none.
  std::optional<experiment::TimeUse> rest();
  /// The steps of the epoch so far.
  [[nodiscard]] const experiment::TimeUse& epoch() const { return epoch_; }
  /// Continues an epoch from its checkpoint.
  void restoreEpoch(const experiment::TimeUse& before);
  void endEpoch() { epoch_ = none_; }

 private:
  experiment::TimeUse none_;  // zero, with the names of the features
  experiment::TimeUse recent_, epoch_;
  Stopwatch sinceReport_;
};

}  // namespace parapet::train

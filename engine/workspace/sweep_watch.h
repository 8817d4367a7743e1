// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "engine/experiment/run_event.h"

namespace parapet::workspace {

/// The pace of the runs of a sweep after each epoch: the best value of a metric so far.
///
/// Thread   any.
class SweepPace {
 public:
  explicit SweepPace(std::string metric);
  [[nodiscard]] const std::string& metric() const { return metric_; }
  /// The better one; NaN is worse than everything.
  [[nodiscard]] double better(double left, double right) const;
  /// Adds the values of a run that has ended, by epoch; NaN before its first validation.
  void add(const std::vector<double>& values);
  /// Whether a value after so many epochs is worse than the median of the runs that were added; of
  /// three at least.
  [[nodiscard]] bool isBehind(std::int64_t epoch, double value) const;

 private:
  const std::string metric_;
  const bool isLower_;
  mutable std::mutex mutex_;
  std::vector<std::vector<double>> runs_;
};

/// Follows one run of a sweep.
class SweepWatch final : public experiment::RunSink {
 public:
  SweepWatch(const SweepPace& pace, std::int64_t epochs) : pace_(pace), epochs_(epochs) {}
  void onEvent(const std::string& runId, const experiment::RunEvent& event) override;
  void onStep(const std::string& runId, const experiment::StepPoint& point) override;

  /// Whether it was behind the others after an epoch, other than its last.
  [[nodiscard]] bool isBad() const;
  /// Best values so far, by epoch.
  [[nodiscard]] std::vector<double> values() const;
  /// Share of its epochs that is done.
  [[nodiscard]] double share() const;

 private:
  const SweepPace& pace_;
  const std::int64_t epochs_;
  mutable std::mutex mutex_;
  std::vector<double> values_;
  bool isBad_ = false;
  std::int64_t stepsPerEpoch_ = 0, firstStep_ = 0, step_ = 0;
};

}  // namespace parapet::workspace

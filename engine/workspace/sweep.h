// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/sweep_space.h"
#include "engine/workspace/workspace.h"

namespace parapet::workspace {

/// A request to a sweep while it runs.
enum class SweepRequest {
  kGoOn,
  kStop,   ///< living runs stop at their next step, with a checkpoint; no other begins
  kAbort,  ///< the same, without a checkpoint
};

/// The treatment of runs that are behind.
enum class BadRuns {
  kGoOn,
  /// A run stops after an epoch whose best value so far of the metric is worse than the median of what
  /// the runs before had after as many epochs; of three runs at least.
  kStop,
};

/// A run of a sweep.
struct SweepRun {
  std::size_t index = 0;  ///< of its point
  std::string runId{};    ///< "" if it never came to be
  experiment::RunState state = experiment::RunState::kQueued;
  std::optional<Error> error{};
  std::int64_t epoch = 0;  ///< whose metrics these are: the best one; 0 if there is none
  std::vector<experiment::Metric> metrics{};  ///< of that epoch, "loss" and those of the test split
  bool stoppedAsBad = false;

  /// Whether it was stopped in mid-training for no reason of its own: its values are no result.
  [[nodiscard]] bool isCutShort() const {
    return state == experiment::RunState::kStopped && !stoppedAsBad;
  }
};

struct SweepProgress {
  std::size_t done = 0, runs = 0;
  double share = 0.0;                   ///< of all epochs
  std::optional<double> secondsLeft{};  ///< unknown at first
  const SweepRun* ended = nullptr;      ///< a run that has just ended
};

struct SweepOptions {
  std::string recipe{}, experimentId{};  ///< for the record
  int parallel = 1;                      ///< runs at a time; they share the threads
  int threads = 0;                       ///< of all; 0: one per core
  BadRuns bad = BadRuns::kGoOn;
  std::vector<std::string> metrics{};  ///< of the summary; the first one is that of bad runs
  std::function<SweepRequest()> asked = [] { return SweepRequest::kGoOn; };
  std::function<void(const SweepProgress&)> progress = [](const SweepProgress&) {};
  ProgressFunction importing{};
  std::stop_token stop{};  ///< fires when `asked` says so, for the work between runs
};

/// Finished runs of one setting: mean and sample standard deviation of a metric.
struct SweepStatistics {
  double mean = 0.0;  ///< NaN if n = 0
  double sd = 0.0;    ///< NaN if n < 2
  std::int64_t n = 0;
};
struct SweepSetting {
  std::size_t setting = 0;  ///< of experiment::SweepPoint
  std::map<std::string, SweepStatistics> metrics{};
};

struct SweepOutcome {
  std::string group{};
  std::vector<SweepRun> runs{};         ///< those that were begun, in the order of the points
  std::vector<SweepSetting> summary{};  ///< the best first, by the first metric
  bool stopped = false;                 ///< before every point was trained
};

/// Trains the points of a sweep, one after another or several at a time. All runs carry one group, and
/// each its settings. Data are imported once for all points that share them. A run that fails or
/// diverges ends no other.
///
/// Errors   of the import of the first point, and what its preflight refuses: nothing has run then;
///          kCancelled where that is stopped.
/// Thread   blocks; `asked` and `progress` are called from this thread.
Result<SweepOutcome> runSweep(Workspace& workspace,
                              const std::vector<experiment::SweepPoint>& points,
                              const SweepOptions& options);

/// Statistics by setting, over the finished runs; the best setting first by the first metric, and those
/// without a value last. Settings all of whose runs were cut short are left out.
std::vector<SweepSetting> summarize(const std::vector<experiment::SweepPoint>& points,
                                    const std::vector<SweepRun>& runs,
                                    const std::vector<std::string>& metrics);

}  // namespace parapet::workspace

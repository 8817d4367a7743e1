// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/time_use.h"
#include "engine/experiment/verdict.h"

namespace parapet::experiment {

/// A metric value under its key ("val_recall@10").
using Metric = std::pair<std::string, double>;

/// Metrics of the queries that share a value of a column, or an activity.
struct SegmentMetrics {
  std::string segment, value;
  std::int64_t queries = 0;
  std::vector<Metric> metrics;
  std::vector<Metric> standardErrors;  ///< in the order of `metrics`
  bool operator==(const SegmentMetrics&) const = default;
};

/// [{"segment", "value", "queries", "metrics": {…}, "standard_errors": {…}}]; a value that the data do
/// not have is null, and so is a figure that is not known.
nlohmann::ordered_json toJson(std::span<const SegmentMetrics> segments);
/// Empty where `value` is not what toJson writes: older runs have none.
std::vector<SegmentMetrics> segmentsFromJson(const nlohmann::ordered_json& value);

/// States of a run. Terminal ones end it; Crashed is detected by other processes from a lost
/// heartbeat.
enum class RunState {
  kQueued,
  kRunning,
  kPaused,
  kFinished,
  kStopped,
  kFailed,
  kCrashed,
  kDiverged,
  kDiskFull,
  kDeviceLost,
};
/// "Running", "Stopped", …: as the database and the terminal show it.
const char* runStateName(RunState state);
std::optional<RunState> runStateFromName(std::string_view name);
bool isTerminal(RunState state);

/// Metrics of baselines by name: "constant" → {val_loss …}, "most_popular", "random".
using Baselines = std::vector<std::pair<std::string, std::vector<Metric>>>;

/// One training step. The loss is the mean over the global batch of this step.
struct StepPoint {
  std::int64_t step = 0;   ///< from 1, over the whole run
  std::int64_t epoch = 0;  ///< from 1
  double loss = 0.0;
  double seconds = 0.0;  ///< since the run (not this process) started training
};

/// One finished epoch. NaN means "not measured" for the doubles of this struct.
struct EpochSummary {
  std::int64_t epoch = 0;        ///< from 1
  std::int64_t step = 0;         ///< steps of the run so far
  double loss = 0.0;             ///< true mean over the examples of the epoch
  double lossAsDisplayed = 0.0;  ///< as shown by Keras's progress bar (averaged twice)
  double learningRate = 0.0;
  double trainSeconds = 0.0;       ///< of training steps, including the wait for batches
  double validationSeconds = 0.0;  ///< validation loss
  /// Seconds of top-k during validation, not in validationSeconds; top-k may run beside the next epoch.
  double retrievalSeconds = 0.0;
  double seconds = 0.0;  ///< what the epoch held training up for
  double msPerStep = 0.0;
  double examplesPerSecond = 0.0;
  std::vector<Metric> metrics;             ///< of this epoch: "val_loss", "val_recall@10", …
  std::vector<BaselineVerdict> verdicts;   ///< of its validation; empty if there was none
  TimeUse timeUse;                         ///< of its training steps; empty if not measured
  std::vector<SegmentMetrics> segments{};  ///< of its lists of the catalogue, if asked for
};

/// The verdicts of the last epoch that was validated; empty if none was.
std::span<const BaselineVerdict> lastVerdicts(std::span<const EpochSummary> epochs);

struct RunStarted {
  std::int64_t stepsPerEpoch = 0;
  std::int64_t totalEpochs = 0;
  std::int64_t firstStep = 0;  ///< 0, or the step of the checkpoint that a resumed run starts from
  std::int64_t trainRows = 0, validationRows = 0, testRows = 0;
  std::string dataset;  ///< content hash of the imported data set
  Baselines baselines;  ///< on the validation part
};
/// Baselines that took longer than the start of a run may: all that are known, in place of those of
/// RunStarted; and the last measured epoch against all of them, in place of its verdicts.
struct BaselinesMeasured {
  Baselines baselines;
  std::int64_t epoch = 0;  ///< 0: no epoch has been measured
  std::vector<BaselineVerdict> verdicts{};
};
/// Epochs end in order. The event comes with the results of the epoch, which may be measured while
/// the next one trains.
struct EpochEnded {
  EpochSummary summary;
};
/// The validation of an epoch whose checkpoint was kept, measured by experiment::kMetricRules in place of
/// older rules, when the run is resumed.
struct EpochMeasuredAgain {
  std::int64_t epoch = 0, step = 0;
  std::vector<Metric> metrics;
  std::vector<BaselineVerdict> verdicts;
  std::vector<SegmentMetrics> segments;
  bool best = false;  ///< of those measured so far, by the metric that the run tracks
};
/// Time use of the last steps, sent several times per second for live display; the sums of an epoch
/// come with EpochEnded.
struct TimeSpent {
  TimeUse use;
};
struct CheckpointWritten {
  std::int64_t step = 0, epoch = 0;
  std::string path;
  std::uint64_t bytes = 0;
  bool best = false;
  double seconds = 0.0;
};
struct CheckpointRemoved {
  std::int64_t step = 0;
};
struct StateChanged {
  RunState state = RunState::kRunning;
};
struct RunWarning {
  std::string message;
};
/// A fact of a run that a person should know and need not act on.
struct RunNote {
  std::string message;
};
struct RunEnded {
  RunState state = RunState::kFinished;
  std::optional<Error> error;
  std::vector<Metric> testMetrics;
  double seconds = 0.0, trainSeconds = 0.0;
};
using RunEvent =
    std::variant<RunStarted, BaselinesMeasured, EpochEnded, EpochMeasuredAgain, TimeSpent,
                 CheckpointWritten, CheckpointRemoved, StateChanged, RunWarning, RunNote, RunEnded>;

/// Receives the events of runs. The store, the window's bridge and the file writers implement it.
///
/// Two lanes. Lifecycle events are few and must not be lost: `onEvent` may wait for space in a
/// bounded queue. Steps are many: `onStep` never waits; a sink that falls behind merges (see
/// StepRing).
///
/// Thread   both are called from the run's own thread, in order.
class RunSink {
 public:
  virtual ~RunSink() = default;
  virtual void onEvent(const std::string& runId, const RunEvent& event) = 0;
  virtual void onStep(const std::string& runId, const StepPoint& point) = 0;
};

/// Ignores all events.
class NullSink final : public RunSink {
 public:
  void onEvent(const std::string&, const RunEvent&) override {}
  void onStep(const std::string&, const StepPoint&) override {}
};

/// Forwards events to several sinks, in order. Does not own them.
class FanOutSink final : public RunSink {
 public:
  explicit FanOutSink(std::vector<RunSink*> sinks) : sinks_(std::move(sinks)) {}
  void onEvent(const std::string& runId, const RunEvent& event) override {
    for (RunSink* sink : sinks_) sink->onEvent(runId, event);
  }
  void onStep(const std::string& runId, const StepPoint& point) override {
    for (RunSink* sink : sinks_) sink->onStep(runId, point);
  }

 private:
  std::vector<RunSink*> sinks_;
};

}  // namespace parapet::experiment

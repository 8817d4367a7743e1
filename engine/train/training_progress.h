// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "engine/base/clock.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/experiment/document.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/time_use.h"
#include "engine/nn/model.h"
#include "engine/nn/step_runner.h"
#include "engine/train/epoch_metrics.h"
#include "engine/train/loss_tracker.h"

namespace parapet::train {

/// The best value of a metric so far, and the count of values since.
class BestMetric {
 public:
  BestMetric(std::string metric, double minDelta)
      : metric_(std::move(metric)), minDelta_(minDelta) {}

  /// True if `value` improves on the best by more than minDelta.
  bool offer(double value) {
    const double gain = experiment::smallerIsBetter(metric_) ? best_ - value : value - best_;
    const bool better = !std::isnan(value) && (std::isnan(best_) || gain > minDelta_);
    if (better) best_ = value;
    sinceBest_ = better ? 0 : sinceBest_ + 1;
    return better;
  }
  [[nodiscard]] const std::string& metric() const { return metric_; }
  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] std::int64_t sinceBest() const { return sinceBest_; }
  void restore(double best, std::int64_t sinceBest) {
    best_ = best;
    sinceBest_ = sinceBest;
  }

 private:
  std::string metric_;
  double minDelta_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t sinceBest_ = 0;
};

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
  /// Adds ids of all lookups and cache counts of all tables of the session's last step.
  void addCounts(Session& session);
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

/// How far a run is: the cursor into its data, the sums of the epoch, the best values and the
/// clocks. A checkpoint carries all of it, so that a resumed run continues exactly.
class TrainingProgress {
 public:
  /// `batchesPerStep`: most batches of a step.
  TrainingProgress(const experiment::Training& training, const nn::Model& model,
                   std::int64_t batchesPerStep = 1);

  std::int64_t step = 0, epoch = 0;  ///< finished ones
  std::int64_t batch = 0;            ///< finished ones of the next epoch
  LossTracker losses;
  EpochMetrics metrics;
  TimeMeter times;
  BestMetric best;                     ///< of the tracked metric, for the best checkpoint
  std::optional<BestMetric> stopping;  ///< of early stopping

  /// Adds a finished step: the wait for its batch, and the step itself. Both count: rates would be
  /// too high without the wait.
  void addStep(const nn::StepTimes& times, double inputSeconds, double stepSeconds);
  /// The summary of the epoch that ends here, without validation; the next epoch begins.
  experiment::EpochSummary endEpoch(const nn::Model& model);
  /// Keeps the metrics of the last epoch for checkpoints.
  void rememberMetrics(const experiment::EpochSummary& summary);
  /// Counts an epoch for early stopping, if it measured the metric.
  void offerToStopping(std::span<const experiment::Metric> measured);
  /// Whether the epochs are done or nothing has improved for too long.
  [[nodiscard]] bool isComplete() const;

  [[nodiscard]] double seconds() const { return secondsBefore_ + clock_.seconds(); }
  [[nodiscard]] double trainSeconds() const { return trainSeconds_ + epochTrainSeconds_; }

  /// Writes all of it, with the step of the best checkpoint, into a manifest, and reads it back.
  void writeTo(checkpoint::Manifest& manifest, std::int64_t bestStep) const;
  /// Returns the step of the best checkpoint.
  std::int64_t restore(const checkpoint::Manifest& manifest);
  /// Where in its epoch a run goes on that begins with the checkpoint of another.
  enum class EpochPosition {
    kKeep,        ///< after the batches that the checkpoint has seen
    kEpochStart,  ///< at its first batch: the batches are others
  };
  /// Takes the steps and epochs of another run; best values and clocks are the run's own.
  void fork(const checkpoint::Manifest& manifest, EpochPosition position);

 private:
  std::int64_t batchesPerStep_;
  std::int64_t epochs_;
  std::int64_t patience_;
  double secondsBefore_ = 0.0, trainSeconds_ = 0.0, epochTrainSeconds_ = 0.0;
  std::map<std::string, double> lastMetrics_;
  Stopwatch clock_;
};

/// Whether the metrics of a checkpoint were measured by the rules of this program
/// (experiment::kMetricRules). Best values of other rules are no measure of what comes.
bool followsRules(const checkpoint::Manifest& manifest);

/// The value of a metric, if it was measured.
std::optional<double> metricOf(std::span<const experiment::Metric> metrics, std::string_view key);

/// Multiplies what a progress bar of Keras showed that added up so many devices; what is true stays
/// beside it.
void displayAsPublished(experiment::EpochSummary& summary, double devices);
std::string displayNote(double devices);

/// The message about a loss that equal scores would have had: see experiment::kEqualScoresShare.
std::string nothingLearned(std::int64_t epoch, double loss, double equalScores);

}  // namespace parapet::train

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "engine/base/clock.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/experiment/document.h"
#include "engine/experiment/run_event.h"
#include "engine/nn/model.h"
#include "engine/train/best_metric.h"
#include "engine/train/epoch_metrics.h"
#include "engine/train/loss_tracker.h"
#include "engine/train/time_meter.h"

namespace parapet::train {

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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/step_ring.h"
#include "engine/store/run_store.h"
#include "ui/models/epochs_model.h"
#include "ui/models/lanes_model.h"
#include "ui/models/rate_curves.h"

namespace parapet::ui {

/// Something that happened during a run, as the event rail shows it.
struct RunMark {
  enum class Kind {
    kCheckpoint,
    kPause,
    kResume,
    kWarning,
  };
  Kind kind = Kind::kWarning;
  std::int64_t step = 0;
  /// Seconds since the run started training; NaN if not known.
  double seconds = std::numeric_limits<double>::quiet_NaN();
  QString text;
};

/// All that the store knows about a run.
struct StoredRun {
  store::RunRecord record;
  experiment::Experiment experiment;
  experiment::Baselines baselines;
  std::vector<experiment::StepBucket> steps;
  bool reduced = false;             ///< some of `steps` hold several steps
  std::int64_t firstNonFinite = 0;  ///< first step whose loss was NaN or infinite; 0: none
  std::vector<EpochRow> epochs;
  std::vector<RunMark> marks;
};

/// Additions to a run since `afterStep`, and all of its epochs: the verdicts of the last one may be
/// new, and a resume may have measured others again.
struct StoredTail {
  store::RunRecord record;
  experiment::Baselines baselines;
  std::vector<experiment::StepBucket> steps;
  std::vector<EpochRow> epochs;
  std::vector<RunMark> marks;  ///< all of them
};

/// The steps come as at most `maxSteps` buckets (≥ 8), however long the run is.
///
/// Errors   of the store; kData if the document of the run cannot be read.
/// Thread   any.
Result<StoredRun> readStoredRun(const store::RunStore& store, const std::string& runId,
                                std::int64_t maxSteps);
Result<StoredTail> readStoredTail(const store::RunStore& store, const std::string& runId,
                                  std::int64_t afterStep);
/// The marks of a run in order; those of steps that a resume took back are left out.
Result<std::vector<RunMark>> readMarks(const store::RunStore& store, const std::string& runId);

/// The chart of the learning rate.
inline const QString kLearningRate = QStringLiteral("learning_rate");

/// Facts about a run besides its curves.
struct RunFacts {
  QString runId, name, recipe;
  experiment::RunState state = experiment::RunState::kQueued;
  QString error;        ///< why it ended, if it did not finish
  QStringList devices;  ///< by rank
  std::int64_t stepsPerEpoch = 0, totalEpochs = 0;
  std::int64_t validateEvery = 1;
  /// The last batch of an epoch is short, and its loss compares with fewer candidates than those of
  /// the others.
  bool hasShortBatch = false;
  bool excludeSeen = false;
  experiment::ModelKind model{};
  std::optional<experiment::EarlyStopping> earlyStopping;
  std::string bestMetric;       ///< by which the best checkpoint is chosen
  experiment::LossKind loss{};  ///< says what its constant baseline is
  double seconds = 0.0;         ///< since it started training
  experiment::Baselines baselines;
  std::optional<experiment::ReferenceCurve> reference;
};

/// The curves of one run, put together from what the store holds and what arrives while it trains.
///
/// Both overlap: steps that are known already are dropped, so a view that attaches to a running run
/// shows every step once. A bucket that begins among known steps is shortened to the new ones; its
/// extremes stay those of the whole bucket. Steps are handed on, not kept: the plot holds them.
///
/// Thread   GUI.
class RunCurves : public QObject {
  Q_OBJECT

 public:
  using StepBuckets = std::vector<experiment::StepBucket>;

  explicit RunCurves(QObject* parent = nullptr);

  /// Begins anew with a run of which nothing is known but its experiment.
  void begin(const QString& runId, const experiment::Experiment& experiment);
  void begin(const StoredRun& run);
  void clear();

  /// While it trains. Steps after `firstStep` of a start are forgotten: a resumed run trains them
  /// again.
  void start(const experiment::RunStarted& started);
  void addSteps(std::span<const experiment::StepBucket> buckets);
  /// All steps again, in more or less detail.
  void replaceSteps(const StepBuckets& steps) { emit stepsReplaced(steps); }
  /// All that are known now, and what an epoch is worth beside them.
  void setBaselines(const experiment::BaselinesMeasured& measured);
  void endEpoch(const experiment::EpochSummary& summary);
  /// The validation of an epoch before the resume, by the present rules.
  void measureAgain(const experiment::EpochMeasuredAgain& now);
  /// Where the time of the newest steps went.
  void spend(const experiment::TimeUse& use);
  void setState(experiment::RunState state, const QString& error = {});
  /// Adds the steps and epochs that the store has got since lastStep() and lastEpoch().
  void add(const StoredTail& tail);
  void setMarks(std::vector<RunMark> marks);

  [[nodiscard]] bool empty() const { return facts_.runId.isEmpty(); }
  [[nodiscard]] const RunFacts& facts() const { return facts_; }
  [[nodiscard]] const EpochsModel& epochs() const { return epochs_; }
  [[nodiscard]] EpochsModel& epochs() { return epochs_; }
  /// Shares of the devices' time: now, while the run reports (lanesLive), else of all epochs.
  [[nodiscard]] const LanesModel& lanes() const { return lanes_; }
  [[nodiscard]] LanesModel& lanes() { return lanes_; }
  [[nodiscard]] bool lanesLive() const { return lanesLive_; }
  [[nodiscard]] const std::vector<RunMark>& marks() const { return marks_; }
  [[nodiscard]] std::int64_t lastStep() const { return lastStep_; }
  [[nodiscard]] std::int64_t lastEpoch() const;
  /// Loss of the newest step; NaN if there is none.
  [[nodiscard]] double lastLoss() const { return lastLoss_; }
  /// First step whose loss was NaN or infinite; 0 if there is none.
  [[nodiscard]] std::int64_t firstNonFinite() const { return firstNonFinite_; }
  /// A metric of a baseline by the key of validation ("val_loss"), whatever prefix it carries.
  [[nodiscard]] std::optional<double> baseline(const std::string& name, const QString& key) const;
  /// "loss", the metrics that were measured besides val_loss, and kLearningRate.
  [[nodiscard]] QStringList charts() const;
  /// The learning rates of all steps of the run as its document says them, that of the experiment
  /// first; none while the number of steps is not known.
  [[nodiscard]] std::vector<RateCurve> rates(int points) const;
  /// The metric that the run is judged by besides its loss, "val_recall@10"; "" if none was measured.
  [[nodiscard]] QString keyMetric() const;

 signals:
  /// Everything is different now: another run, or the same read again.
  void reset(const parapet::ui::RunCurves::StepBuckets& steps);
  void stepsAdded(const parapet::ui::RunCurves::StepBuckets& steps);
  void truncated(qint64 step);
  /// The steps are now shown in more or less detail.
  void stepsReplaced(const parapet::ui::RunCurves::StepBuckets& steps);
  void epochsChanged();
  /// An epoch that is here already has other values; epochsChanged() comes after it.
  void epochReplaced();
  void marksChanged();
  void factsChanged();

 private:
  void takeExperiment(const experiment::Experiment& experiment);
  void takeRecord(const store::RunRecord& record);
  void takeTrainRows(std::int64_t rows);
  void truncateAfter(std::int64_t step);
  void showAllEpochsInLanes();
  void sumEpochs();
  StepBuckets fresh(std::span<const experiment::StepBucket> buckets);

  RunFacts facts_;
  experiment::Experiment experiment_;
  EpochsModel epochs_;
  LanesModel lanes_;
  experiment::TimeUse allEpochs_;  ///< of the epochs in epochs_
  bool lanesLive_ = false;
  std::vector<RunMark> marks_;
  std::int64_t lastStep_ = 0, firstNonFinite_ = 0;
  double lastLoss_ = 0.0;
};

/// Seconds that a run will still take; −1: not known.
struct RunEta {
  double lowSeconds = -1.0, highSeconds = -1.0;
};

/// The headline numbers of a run, as text; "–" where nothing is known yet.
struct RunHeadline {
  QString epoch;  ///< "3 / 20"
  QString step;
  QString loss, valLoss;
  QString keyLabel,
      key;             ///< the metric it is judged by, "recall@10", and its last value; "" if none
  QString maskedHits;  ///< of the last epoch; "" where none are masked
  QString msPerStep, examplesPerSecond;
  QString timeLabel;  ///< what `time` is: "time left" or "took"
  QString time;
  QString verdict;  ///< see experiment::verdictText; "" before there is one
};

/// `eta` of a run of this window; of other running runs it is taken from their epochs so far.
RunHeadline headlineOf(const RunCurves& curves, RunEta eta = {});

/// The facts that decided how the run ended and what its results are worth: "Stopped early (patience 3):
/// val_loss improved no more; best epoch 2." "The split leaks: …" "" where there is nothing to say.
QString decisionOf(const RunCurves& curves);

/// From the shortest and the longest of the last epochs.
RunEta etaFromEpochs(const RunCurves& curves);

/// The name of a baseline in words, as it stands beside a metric: "most popular". The constant of the
/// run's own loss depends on the loss; that of another head is the mean of its label.
QString baselineName(const std::string& name, experiment::LossKind loss, const QString& metric);

}  // namespace parapet::ui

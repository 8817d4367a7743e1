// SPDX-License-Identifier: Apache-2.0
#include "engine/train/trainer.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/clock.h"
#include "engine/experiment/experiment.h"
#include "engine/nn/schedules.h"
#include "engine/train/best_metric.h"
#include "engine/train/build_id.h"
#include "engine/train/checkpoint_keeper.h"
#include "engine/train/evaluator.h"
#include "engine/train/loss_tracker.h"
#include "engine/train/time_meter.h"

namespace parapet::train {
namespace {

using experiment::EpochSummary;
using experiment::RunState;

std::optional<double> metricOf(const std::vector<experiment::Metric>& metrics,
                               std::string_view key) {
  for (const auto& [name, value] : metrics)
    if (name == key) return value;
  return std::nullopt;
}

// NaN has no JSON form; null stands for "none yet".
nlohmann::json numberOrNull(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

double numberFrom(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> featureNames(const nn::Model& model) {
  std::vector<std::string> names;
  for (const nn::Lookup& lookup : model.graph.lookups())
    for (const auto& node : model.graph.nodes())
      // The node of a feature is named after it.
      if (node->output() == lookup.output)
        names.push_back(node->name().substr(std::string_view("features/").size()));
  return names;
}

/// One run from its first step in this process to its last. The members are the state that a
/// checkpoint carries (cursor, sums, best values, clocks) and the parts that do the work.
class Trainer {
 public:
  Trainer(Session& session, const experiment::Experiment& experiment, const data::Split& split,
          const TrainerOptions& options, RunControl& control, experiment::RunSink& sink)
      : session_(session),
        experiment_(experiment),
        split_(split),
        options_(options),
        control_(control),
        sink_(sink),
        interactions_(std::make_shared<const retrieval::Interactions>(
            session.dataset(), session.model().queryColumn, session.model().candidateColumn,
            split)),
        validation_(session, experiment, split, *interactions_, retrieval::Part::kValidation),
        tracker_(session.model()),
        meter_(featureNames(session.model())),
        best_(experiment.training.checkpoints.best.value_or(""), 0.0),
        keeper_(options.checkpointFolder, experiment.training.checkpoints,
                [this](const experiment::RunEvent& event) { emit(event); }),
        loader_(session.loader(split, retrieval::Part::kTrain)) {
    session.useHistory(split.train);
    const auto& stopping = experiment.training.earlyStopping;
    if (stopping) stopping_.emplace(stopping->metric, stopping->minDelta);
  }

  TrainerResult run();

 private:
  void emit(const experiment::RunEvent& event) { sink_.onEvent(options_.runId, event); }
  void announce();
  void restore(const checkpoint::Checkpoint& from);
  bool atBoundary();
  bool trainEpoch();
  void endEpoch();
  void fail(const Error& error);
  void validate(EpochSummary& summary);
  void watchEarlyStop(const EpochSummary& summary);
  [[nodiscard]] bool isOver() const;
  void maybeCheckpoint(const EpochSummary& summary);
  Status commit(bool best, bool insist);
  checkpoint::Manifest manifest() const;
  void finish();
  void diverge(double loss);
  /// Of the experiment's optimizer at the last step.
  [[nodiscard]] double learningRate() const {
    const experiment::Optimizer& optimizer = experiment_.optimizer;
    return nn::learningRateAt(optimizer.schedule.value_or(experiment_.schedule),
                              optimizer.learningRate, std::max<std::int64_t>(0, step_ - 1));
  }
  [[nodiscard]] double seconds() const { return secondsBefore_ + clock_.seconds(); }
  void serveSnapshot();

  Session& session_;
  const experiment::Experiment& experiment_;
  const data::Split& split_;
  const TrainerOptions& options_;
  RunControl& control_;
  experiment::RunSink& sink_;
  std::shared_ptr<const retrieval::Interactions> interactions_;  ///< lent to snapshots
  Evaluator validation_;
  LossTracker tracker_;
  TimeMeter meter_;
  BestMetric best_;
  std::optional<BestMetric> stopping_;
  CheckpointKeeper keeper_;
  std::unique_ptr<data::BatchLoader> loader_;

  TrainerResult result_;
  std::int64_t step_ = 0, epoch_ = 0,
               batch_ = 0;  ///< finished steps, epochs, batches of the next epoch
  double secondsBefore_ = 0.0, trainSeconds_ = 0.0, epochTrainSeconds_ = 0.0;
  std::map<std::string, double> lastMetrics_;
  bool reportedPause_ = false;
  Stopwatch clock_;
};

void Trainer::announce() {
  result_.baselines = validation_.baselines("val_");
  experiment::RunStarted started;
  started.stepsPerEpoch = loader_->batchesPerEpoch(epoch_ + 1);
  started.totalEpochs = experiment_.training.epochs;
  started.firstStep = step_;
  started.trainRows = split_.train.size();
  started.validationRows = split_.validation.size();
  started.testRows = split_.test.size();
  started.dataset = session_.dataset().hash();
  started.baselines = result_.baselines;
  emit(started);
  emit(experiment::StateChanged{RunState::kRunning});
}

void Trainer::restore(const checkpoint::Checkpoint& from) {
  const checkpoint::Manifest& manifest = from.manifest();
  const nlohmann::json& state = manifest.trainerState;
  step_ = manifest.step;
  epoch_ = manifest.epoch;
  batch_ = manifest.batch;
  lastMetrics_ = manifest.metrics;
  tracker_.fromJson(state.at("tracker"));
  meter_.restoreEpoch(experiment::timeUseFromJson(state.value("time_use", nlohmann::json())));
  best_.restore(numberFrom(state.at("best")), 0);
  if (stopping_)
    stopping_->restore(numberFrom(state.at("stopping_best")), state.at("stopping_since"));
  keeper_.restore(step_, state.at("best_step"), from.folder().string());
  secondsBefore_ = state.at("seconds");
  trainSeconds_ = state.at("train_seconds");
  epochTrainSeconds_ = state.at("epoch_train_seconds");
}

checkpoint::Manifest Trainer::manifest() const {
  checkpoint::Manifest manifest;
  manifest.step = step_;
  manifest.epoch = epoch_;
  manifest.batch = batch_;
  manifest.runId = options_.runId;
  manifest.fingerprint = options_.fingerprint;
  manifest.dataset = session_.dataset().hash();
  manifest.build = buildId();
  manifest.experiment = experiment::toJson(experiment_);
  manifest.mesh = {{"devices", session_.mesh().deviceNames()},
                   {"shape", session_.mesh().shape()},
                   {"axes", session_.mesh().axes()}};
  manifest.metrics = lastMetrics_;
  manifest.trainerState = {{"tracker", tracker_.toJson()},
                           {"time_use", experiment::toJson(meter_.epoch())},
                           {"best", numberOrNull(best_.best())},
                           {"best_step", keeper_.bestStep()},
                           {"stopping_best", numberOrNull(stopping_ ? stopping_->best() : NAN)},
                           {"stopping_since", stopping_ ? stopping_->sinceBest() : 0},
                           {"seconds", seconds()},
                           {"train_seconds", trainSeconds_},
                           {"epoch_train_seconds", epochTrainSeconds_}};
  return manifest;
}

Status Trainer::commit(bool best, bool insist) {
  if (step_ == keeper_.lastStep() && !best) return {};
  checkpoint::Manifest what = manifest();
  if (best) what.trainerState["best_step"] = step_;
  options_.settle();
  return keeper_.commit(session_, what, best, insist);
}

void Trainer::serveSnapshot() {
  const RunControl::SnapshotReceiver receiver = control_.takeSnapshotRequest();
  if (!receiver) return;
  auto made = session_.snapshot();
  if (!made) return control_.snapshotDone();
  auto snapshot = std::make_shared<retrieval::ModelSnapshot>(std::move(*made));
  snapshot->runId = options_.runId;
  snapshot->step = step_;
  snapshot->epoch = epoch_;
  snapshot->interactions = interactions_;
  control_.snapshotDone();
  receiver(std::move(snapshot));
}

// Between two steps: hand out a snapshot, wait while paused. False if the run must end.
bool Trainer::atBoundary() {
  serveSnapshot();
  while (control_.mustWait()) {
    if (!reportedPause_) emit(experiment::StateChanged{RunState::kPaused});
    reportedPause_ = true;
    control_.waitForChange();
    serveSnapshot();
  }
  if (control_.ending() != RunControl::Ending::kNone) return false;
  if (reportedPause_) emit(experiment::StateChanged{RunState::kRunning});
  reportedPause_ = false;
  return true;
}

// The rest of the current epoch. False if the run ended within it.
bool Trainer::trainEpoch() {
  loader_->begin(epoch_ + 1, batch_);
  Stopwatch step;
  for (;;) {
    step.restart();
    const data::Batch* batch = loader_->next(control_.stopToken());
    const double inputSeconds = step.seconds();
    if (!batch) return control_.ending() == RunControl::Ending::kNone;
    // The batch is there before the boundary is: a step that is let through always trains one.
    if (!atBoundary()) return false;
    step.restart();
    if (const Status trained = session_.train(*batch, step_ + 1, loader_->peek()); !trained) {
      fail(trained.error());
      return false;
    }
    ++step_;
    ++batch_;
    const double loss = tracker_.add(session_.losses(), batch->rows);
    result_.examplesHere += batch->rows;
    const double stepSeconds = step.seconds();
    // A step costs what it made us wait: rates would be too good without it.
    epochTrainSeconds_ += inputSeconds + stepSeconds;
    meter_.add(session_.times(), inputSeconds, stepSeconds);
    for (std::size_t lookup = 0; lookup < session_.model().graph.lookups().size(); ++lookup)
      meter_.addIds(lookup, session_.counts(lookup));
    sink_.onStep(options_.runId, {step_, epoch_ + 1, loss, seconds()});
    if (auto use = meter_.due()) emit(experiment::TimeSpent{std::move(*use)});
    if (!std::isfinite(loss)) {
      diverge(loss);
      return false;
    }
  }
}

void Trainer::diverge(double loss) {
  result_.state = RunState::kDiverged;
  result_.error =
      Error{ErrorCode::kDiverged,
            fmt::format("the loss became {} at step {} (epoch {}); try a smaller learning rate",
                        loss, step_, epoch_ + 1)};
}

void Trainer::fail(const Error& error) {
  result_.state = RunState::kFailed;
  result_.error = error;
}

void Trainer::validate(EpochSummary& summary) {
  const std::int64_t every = experiment_.training.validateEvery;
  if (every == 0 || summary.epoch % every != 0) return;
  auto measured = validation_.measure("val_", summary.epoch);
  if (!measured) return fail(measured.error());
  summary.validationSeconds = measured->lossSeconds;
  summary.retrievalSeconds = measured->retrievalSeconds;
  summary.metrics.insert(summary.metrics.end(), measured->metrics.begin(), measured->metrics.end());
}

void Trainer::endEpoch() {
  EpochSummary summary;
  summary.epoch = ++epoch_;
  summary.step = step_;
  summary.loss = tracker_.loss();
  summary.lossAsDisplayed = tracker_.lossAsDisplayed();
  summary.learningRate = learningRate();
  summary.trainSeconds = epochTrainSeconds_;
  summary.timeUse = meter_.epoch();
  if (session_.model().heads.size() > 1)
    for (std::size_t head = 0; head < session_.model().heads.size(); ++head) {
      const std::string& name = session_.model().heads[head].name;
      summary.metrics.emplace_back((name.empty() ? "score" : name) + "_loss",
                                   tracker_.lossOf(head));
    }
  validate(summary);
  summary.seconds = summary.trainSeconds + summary.validationSeconds + summary.retrievalSeconds;
  summary.msPerStep = 1e3 * summary.trainSeconds /
                      static_cast<double>(std::max<std::int64_t>(1, tracker_.batches()));
  summary.examplesPerSecond = summary.trainSeconds > 0.0
                                  ? static_cast<double>(tracker_.rows()) / summary.trainSeconds
                                  : 0.0;
  trainSeconds_ += epochTrainSeconds_;
  epochTrainSeconds_ = 0.0;
  batch_ = 0;
  tracker_.reset();
  meter_.endEpoch();
  lastMetrics_ = {{"loss", summary.loss}, {"loss_as_displayed", summary.lossAsDisplayed}};
  lastMetrics_.insert(summary.metrics.begin(), summary.metrics.end());
  result_.epochs.push_back(summary);
  emit(experiment::EpochEnded{summary});
  // Before the checkpoint, which carries how long nothing has improved.
  watchEarlyStop(summary);
  maybeCheckpoint(summary);
}

void Trainer::watchEarlyStop(const EpochSummary& summary) {
  if (!stopping_) return;
  if (const auto value = metricOf(summary.metrics, stopping_->metric())) stopping_->offer(*value);
}

bool Trainer::isOver() const {
  return result_.state == RunState::kDiverged || result_.state == RunState::kFailed ||
         epoch_ >= experiment_.training.epochs ||
         (stopping_ && stopping_->sinceBest() >= experiment_.training.earlyStopping->patience);
}

void Trainer::maybeCheckpoint(const EpochSummary& summary) {
  const auto& every = experiment_.training.checkpoints.every;
  const bool due = every && *every > 0 && summary.epoch % *every == 0;
  const auto tracked = metricOf(summary.metrics, best_.metric());
  const BestMetric before = best_;
  const bool improved = tracked && best_.offer(*tracked);
  if (!due && !improved) return;
  // The last good checkpoint is not given for one that cannot be gone on from.
  if (!session_.weightsFinite()) return diverge(NAN);
  // A failure has warned already and is tried again at the next occasion.
  (void)commit(improved, false);
  // What could not be kept must not stand in the way of the next that is as good.
  if (improved && keeper_.bestStep() != step_) best_ = before;
}

void Trainer::finish() {
  const bool bad = result_.state == RunState::kDiverged || result_.state == RunState::kFailed;
  if (!bad && control_.ending() != RunControl::Ending::kNone) result_.state = RunState::kStopped;
  if (!bad && control_.ending() != RunControl::Ending::kAbort) {
    if (!session_.weightsFinite()) {
      diverge(NAN);
    } else if (const Status committed = commit(false, true); !committed.ok()) {
      result_.state = RunState::kDiskFull;
      result_.error = committed.error();
    }
  }
  if (result_.state == RunState::kFinished && !split_.test.empty()) {
    Evaluator test(session_, experiment_, split_, *interactions_, retrieval::Part::kTest);
    if (auto measured = test.measure("test_", epoch_, control_.stopToken()))
      result_.testMetrics = std::move(measured->metrics);
    else
      fail(measured.error());
  }
  result_.steps = step_;
  result_.checkpoint = keeper_.last();
  result_.seconds = seconds();
  result_.trainSeconds = trainSeconds_ + epochTrainSeconds_;
  control_.close();
  emit(experiment::RunEnded{result_.state, result_.error, result_.testMetrics, result_.seconds,
                            result_.trainSeconds});
}

TrainerResult Trainer::run() {
  // Whoever waits for a snapshot is answered even if a step throws.
  struct Closing {
    RunControl& control;
    ~Closing() { control.close(); }
  } const closing{control_};
  if (options_.resumeFrom) restore(*options_.resumeFrom);
  const double trainedBefore = trainSeconds_ + epochTrainSeconds_;
  announce();
  while (!isOver() && trainEpoch()) endEpoch();
  finish();
  result_.trainSecondsHere = result_.trainSeconds - trainedBefore;
  return std::move(result_);
}

}  // namespace

TrainerResult train(Session& session, const experiment::Experiment& experiment,
                    const data::Split& split, const TrainerOptions& options, RunControl& control,
                    experiment::RunSink& sink) {
  return Trainer(session, experiment, split, options, control, sink).run();
}

}  // namespace parapet::train

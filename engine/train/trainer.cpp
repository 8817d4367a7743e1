// SPDX-License-Identifier: Apache-2.0
#include "engine/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stop_token>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/file_error.h"
#include "engine/data/dataset/event_columns.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/published_run.h"
#include "engine/train/batch_inspector.h"
#include "engine/train/build_id.h"
#include "engine/train/evaluator.h"
#include "engine/train/kept_checkpoints.h"
#include "engine/train/later_lists.h"
#include "engine/train/task.h"
#include "engine/train/training_progress.h"

namespace parapet::train {
namespace {

using experiment::EpochSummary;
using experiment::RunState;
using experiment::SplitPart;

// How often a wait for a result looks whether the run is to end.
constexpr std::chrono::milliseconds kPatience{50};

/// One run from its first step in this process to its last.
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
        interactions_(
            Task::of(session.model().kind).interactions(session, split, preparation_.get_token())),
        validation_(session, experiment, split, interactions_.get(), SplitPart::kValidation),
        progress_(experiment.training, session.model(), experiment.optimizer.accumulateSteps),
        keeper_(options.checkpointFolder, experiment.training.checkpoints,
                [this](const experiment::RunEvent& event) { emit(event); }),
        loader_(session.loader(split, SplitPart::kTrain)),
        displayed_(experiment::displayAddsDevices(experiment.reference.curve.value_or(""))
                       ? static_cast<double>(session.mesh().ranks())
                       : 1.0) {
    session.useRunSteps(stepsOfRun(*loader_, experiment));
  }

  TrainerResult run();

 private:
  void emit(const experiment::RunEvent& event) { sink_.onEvent(options_.runId, event); }
  [[nodiscard]] bool isStopped() const { return control_.ending() != RunControl::Ending::kNone; }
  [[nodiscard]] bool hasFailed() const {
    return result_.state == RunState::kDiverged || result_.state == RunState::kFailed;
  }
  [[nodiscard]] bool mayGoOn() const { return !hasFailed() && !isStopped(); }
  void announce();
  void fitBaselines();
  void takeBaselines();
  void lendThreads();
  void takeWhatIsReady();
  [[nodiscard]] bool mayMeasureLater(const EpochSummary& summary) const;
  bool measureLists(EpochSummary& summary, const WorkContext& context);
  void measureAgain();
  void finishLists();
  void tell(EpochSummary summary) {
    result_.epochs.push_back(summary);
    emit(experiment::EpochEnded{std::move(summary)});
  }
  void judgeKept();
  void restore(const checkpoint::Checkpoint& from);
  bool atBoundary();
  RunControl::BatchReceiver beginInspection(const data::Batch& batch);
  bool trainEpoch();
  void endEpoch();
  void end(RunState state, Error error) {
    result_.state = state;
    result_.error = std::move(error);
  }
  /// False if a stop has cut the validation short.
  bool validate(EpochSummary& summary);
  bool staysFinite();
  void warnIfNothingIsLearned(const EpochSummary& summary, double equalScores);
  void maybeCheckpoint(const EpochSummary& summary);
  // Results made from data that are lost are neither reported nor kept; the run ends.
  void requireIntactData() const {
    if (const Status intact = session_.dataset().intact(); !intact) throw FileError(intact.error());
  }
  Status commit(CheckpointReason reason);
  [[nodiscard]] checkpoint::Manifest manifest(std::int64_t bestStep) const;
  void finish();
  void measureTest();
  void diverge(const std::string& what);
  void serveSnapshot();

  Session& session_;
  const experiment::Experiment& experiment_;
  const data::Split& split_;
  const TrainerOptions& options_;
  RunControl& control_;
  experiment::RunSink& sink_;
  std::stop_source preparation_;  ///< a stop after it leaves what snapshots go on using
  std::shared_ptr<const retrieval::Interactions>
      interactions_;  ///< shared with snapshots; may be null
  Evaluator validation_;
  TrainingProgress progress_;
  CheckpointKeeper keeper_;
  std::unique_ptr<data::BatchLoader> loader_;
  const double displayed_;  ///< factor of what the published run displayed

  std::unique_ptr<BatchInspector> inspector_;  ///< while single steps are looked into

  TrainerResult result_;
  bool reportedPause_ = false;
  bool saidThatNothingIsLearned_ = false;
  std::int64_t finiteAt_ = -1;              ///< the step whose weights and slots were found finite
  std::optional<EpochSummary> unmeasured_;  ///< of the checkpoint, until it is measured again
  retrieval::CatalogueRanking::Measured lists_;  ///< of the last epoch that measured them
  std::int64_t listsEpoch_ = 0;
  // Last: they end before what they read.
  std::unique_ptr<LaterLists> later_;
  std::unique_ptr<LaterBaselines> fitting_;
};

// Fits the baselines that cost more than a pass over the rows.
void Trainer::fitBaselines() {
  if (!validation_.lists() || !options_.fitsBaselines ||
      experiment_.evaluation.catalogue == experiment::CatalogueTime::kNever)
    return;
  const retrieval::CatalogueRanking& ranking = validation_.lists()->ranking();
  for (std::vector<std::string> notes : {ranking.leftOut(), ranking.limits()})
    for (std::string& note : notes) emit(experiment::RunWarning{std::move(note)});
  fitting_ = std::make_unique<LaterBaselines>(validation_, session_.workers().count());
  lendThreads();
}

// Waits for them, unless the run is to end: then those that are not fitted yet are left out.
void Trainer::takeBaselines() {
  if (!fitting_) return;
  fitting_->setThreads(session_.workers().count());
  while (!fitting_->waitFor(kPatience)) {
    if (mayGoOn())
      fitting_->report(options_.progress);
    else
      fitting_->cancel();
    serveSnapshot();
  }
  LaterBaselines::Taken taken = std::exchange(fitting_, nullptr)->take();
  lendThreads();
  for (const auto& note : validation_.lists()->ranking().choices()) emit(experiment::RunNote{note});
  std::ranges::copy(taken.fitted, std::back_inserter(result_.baselines));
  experiment::BaselinesMeasured measured{result_.baselines};
  // The last lists were judged before these baselines were there, or only some of them. The order of
  // the verdicts does not depend on when.
  if (const auto epoch = std::ranges::find(result_.epochs, listsEpoch_, &EpochSummary::epoch);
      epoch != result_.epochs.end()) {
    replaceVerdicts(epoch->verdicts, taken.verdictsOf(lists_, "val_", progress_.best.metric()));
    measured.epoch = epoch->epoch;
    measured.verdicts = epoch->verdicts;
  }
  if (measured.epoch == 0 && taken.fitted.empty()) return;
  emit(measured);
  if (!taken.missing.empty()) emit(experiment::RunWarning{taken.missingSentence()});
}

// Work beside training has cores of its own: all together are as many as training has alone.
void Trainer::lendThreads() {
  Workers& workers = session_.workers();
  const int lent = (later_ ? LaterLists::threadsOf(workers.count()) : 0) + (fitting_ ? 1 : 0);
  workers.useAtMost(std::max(1, workers.count() - lent));
}

void Trainer::takeWhatIsReady() {
  if (later_ && later_->isReady()) finishLists();
  if (fitting_ && fitting_->isReady()) takeBaselines();
}

void Trainer::announce() {
  experiment::RunStarted started;
  started.stepsPerEpoch =
      stepsPerEpoch(*loader_, experiment_.optimizer.accumulateSteps, progress_.epoch + 1);
  started.totalEpochs = experiment_.training.epochs;
  started.firstStep = progress_.step;
  started.trainRows = split_.train.size();
  started.validationRows = split_.validation.size();
  started.testRows = split_.test.size();
  started.dataset = session_.dataset().hash();
  try {
    const std::stop_callback stopping(control_.stopToken(),
                                      [this] { preparation_.request_stop(); });
    started.baselines =
        validation_.baselines("val_", std::nullopt, {options_.progress, preparation_.get_token()});
  } catch (const data::PassStopped&) {
    return;
  }
  if (!mayGoOn()) return;
  result_.baselines = started.baselines;
  emit(started);
  if (displayed_ != 1.0) emit(experiment::RunNote{displayNote(displayed_)});
  emit(experiment::StateChanged{RunState::kRunning});
  fitBaselines();
}

void Trainer::restore(const checkpoint::Checkpoint& from) {
  const std::int64_t bestStep = progress_.restore(from.manifest());
  const nlohmann::json& state = from.manifest().trainerState;
  if (const auto found = state.find("unmeasured"); found != state.end())
    unmeasured_ = unmeasuredFromJson(*found);
  keeper_.restore(progress_.step, progress_.epoch, bestStep, from.folder().string());
}

checkpoint::Manifest Trainer::manifest(std::int64_t bestStep) const {
  checkpoint::Manifest manifest;
  manifest.runId = options_.runId;
  manifest.fingerprint = options_.fingerprint;
  manifest.dataset = session_.dataset().hash();
  manifest.build = buildId();
  manifest.experiment = experiment::toJson(experiment_);
  manifest.mesh = session_.resolved().toJson();
  progress_.writeTo(manifest, bestStep);
  if (nlohmann::json since = session_.slotsSince(); !since.empty())
    manifest.trainerState["slots_since"] = std::move(since);
  if (later_) manifest.trainerState["unmeasured"] = unmeasuredToJson(later_->summary);
  return manifest;
}

Status Trainer::commit(CheckpointReason reason) {
  const bool best = reason == CheckpointReason::kBest;
  if (keeper_.isLast(progress_.step, progress_.epoch) && !best) return {};
  // The last good checkpoint must not be replaced by one that cannot be resumed.
  if (!staysFinite()) return *result_.error;
  requireIntactData();
  options_.flush();
  return keeper_.commit(session_, manifest(best ? progress_.step : keeper_.bestStep()), reason);
}

void Trainer::serveSnapshot() try {
  const RunControl::SnapshotReceiver receiver = control_.takeSnapshotRequest();
  if (!receiver) return;
  auto made = session_.snapshot(control_.stopToken());
  if (!made) return control_.snapshotDone();
  auto snapshot = std::make_shared<retrieval::ModelSnapshot>(std::move(*made));
  snapshot->runId = options_.runId;
  snapshot->step = progress_.step;
  snapshot->epoch = progress_.epoch;
  snapshot->interactions = interactions_;
  control_.snapshotDone();
  receiver(std::move(snapshot));
} catch (const data::PassStopped&) {
  control_.snapshotDone();
}

// Between two steps: deliver a requested snapshot, wait while paused. False if the run must end.
bool Trainer::atBoundary() {
  serveSnapshot();
  takeWhatIsReady();
  while (control_.mustWait()) {
    if (!reportedPause_) emit(experiment::StateChanged{RunState::kPaused});
    reportedPause_ = true;
    control_.waitForChange();
    serveSnapshot();
    takeWhatIsReady();
  }
  if (isStopped()) return false;
  if (reportedPause_) emit(experiment::StateChanged{RunState::kRunning});
  reportedPause_ = false;
  return true;
}

// Returns the receiver that inspects this batch, if the user steps to it; other batches cost
// nothing.
RunControl::BatchReceiver Trainer::beginInspection(const data::Batch& batch) {
  RunControl::BatchReceiver watcher = control_.batchReceiver();
  if (!watcher) {
    inspector_.reset();
    return nullptr;
  }
  if (!inspector_) inspector_ = std::make_unique<BatchInspector>(session_, experiment_);
  if (const Status looked = inspector_->look(batch, progress_.step + 1); !looked)
    emit(experiment::RunWarning{"the gradients of the batch are not measured: " +
                                looked.error().text()});
  return watcher;
}

// The rest of the current epoch. False if the run ended within it.
bool Trainer::trainEpoch() {
  TrainingProgress& at = progress_;
  const std::int64_t first = at.batch, batches = loader_->batchesPerEpoch(at.epoch + 1);
  loader_->begin(at.epoch + 1, first);
  Stopwatch step;
  StepLoss stepLoss;
  for (nn::StepRunner::Part part{0, true};;) {
    step.restart();
    // A step that has begun gets all of its batches, so that every boundary is between two steps.
    const data::Batch* batch = part.isLast ? loader_->next(control_.stopToken()) : loader_->next();
    const double inputSeconds = step.seconds();
    if (!batch) return !isStopped();
    part = session_.partOf(*batch, first, batches);
    // The batch is fetched before the boundary, so that a step that is allowed always trains one.
    if (part.index == 0 && !atBoundary()) return false;
    const RunControl::BatchReceiver watcher =
        part.isLast ? beginInspection(*batch) : RunControl::BatchReceiver();
    step.restart();
    if (const Status trained = session_.train(*batch, at.step + 1, loader_->peek(), part);
        !trained) {
      end(RunState::kFailed, trained.error());
      return false;
    }
    at.step += part.isLast;
    ++at.batch;
    const std::optional<double> loss = at.losses.add(session_.losses(), batch->rows);
    stepLoss.add(loss, batch->rows);
    at.metrics.add(session_, *batch);
    result_.examplesHere += batch->rows;
    at.addStep(session_.times(), inputSeconds, step.seconds());
    at.times.addCounts(session_);
    if (watcher)
      watcher(std::make_shared<const experiment::BatchReport>(
          inspector_->report(*batch, at.step, at.epoch + 1)));
    if (part.isLast)
      if (const auto ofStep = stepLoss.take())
        sink_.onStep(options_.runId, {at.step, at.epoch + 1, *ofStep, at.seconds()});
    if (auto use = at.times.due()) emit(experiment::TimeSpent{std::move(*use)});
    if (loss && !std::isfinite(*loss)) {
      diverge(fmt::format("the loss became {}", *loss));
      return false;
    }
    // A row of a table that no later batch reads would leave every later loss finite.
    if (!session_.keptWeightsFinite()) {
      diverge(fmt::format("a gradient made {} NaN or infinite (the loss was {:.6g})",
                          session_.nonFiniteTensor(), loss.value_or(0.0)));
      return false;
    }
  }
}

void Trainer::diverge(const std::string& what) {
  // Between two epochs it is the one that has just ended.
  const std::int64_t epoch =
      progress_.epoch + (progress_.batch > 0 || progress_.epoch == 0 ? 1 : 0);
  end(RunState::kDiverged,
      Error{ErrorCode::kDiverged, fmt::format("{} at step {} (epoch {}); try a smaller learning "
                                              "rate, or labels and numbers of a smaller scale",
                                              what, progress_.step, epoch)});
}

// Looks at a step once. A slot can be infinite where all losses and weights are finite: a square of
// a gradient overflows, and an optimizer that divides by its root trains nothing any more.
bool Trainer::staysFinite() {
  if (hasFailed()) return false;
  if (finiteAt_ == progress_.step) return true;
  const std::string tensor = session_.nonFiniteTensor();
  if (tensor.empty())
    finiteAt_ = progress_.step;
  else
    diverge(tensor + " is NaN or infinite");
  return tensor.empty();
}

// Not where the course of the run depends on the lists, nor where nothing trains beside them.
bool Trainer::mayMeasureLater(const EpochSummary& summary) const {
  const auto dependsOn = [&](const std::string& key) {
    return !key.empty() && !metricOf(summary.metrics, key);
  };
  if (dependsOn(progress_.best.metric()) ||
      (progress_.stopping && dependsOn(progress_.stopping->metric())))
    return false;
  if (session_.workers().count() < 2 || summary.epoch >= experiment_.training.epochs) return false;
  const CatalogueLists::Cost cost = validation_.lists()->cost();
  return cost.products >= options_.minLaterProducts && cost.bytes > 0 &&
         cost.bytes <= LaterLists::kMaxBytes;
}

bool Trainer::validate(EpochSummary& summary) {
  const std::int64_t every = experiment_.training.validateEvery;
  if (every == 0 || summary.epoch % every != 0 || !staysFinite()) return true;
  const WorkContext context{options_.progress, control_.stopToken()};
  auto measured = validation_.measure("val_", summary.epoch, context, Evaluator::Lists::kSkip);
  if (!measured) end(RunState::kFailed, measured.error());
  if (!measured || context.cancelled()) return !measured;
  summary.validationSeconds = measured->lossSeconds;
  summary.metrics.insert(summary.metrics.end(), measured->metrics.begin(), measured->metrics.end());
  summary.verdicts = std::move(measured->verdicts);
  return listsAt(experiment_, summary.epoch) != Evaluator::Lists::kMeasure ||
         measureLists(summary, context);
}

bool Trainer::measureLists(EpochSummary& summary, const WorkContext& context) try {
  if (!validation_.lists() || validation_.lists()->cost().products == 0) return true;
  if (mayMeasureLater(summary)) {
    auto begun = LaterLists::begin(*validation_.lists(), session_.workers().count(), context.stop);
    if (!begun) end(RunState::kFailed, begun.error());
    if (begun) later_ = std::move(begun).value();
    lendThreads();
    return true;
  }
  const Stopwatch watch;
  auto ranked = validation_.lists()->rank(context);
  if (!ranked) end(RunState::kFailed, ranked.error());
  // A ranking that was stopped does not replace the last lists.
  if (!ranked || context.cancelled()) return !ranked;
  lists_ = *ranked;
  listsEpoch_ = summary.epoch;
  addLists(summary, std::move(ranked).value(), watch.seconds(), progress_.best.metric());
  return true;
} catch (const data::PassStopped&) {
  return false;
}

// The lists of the epoch before, which has not ended yet for those who listen. Training waits, so
// the evaluation gets its threads.
void Trainer::finishLists() {
  if (!later_) return;
  later_->setThreads(session_.workers().count());
  while (!later_->waitFor(kPatience)) {
    if (control_.ending() == RunControl::Ending::kAbort) later_->cancel();
    serveSnapshot();
  }
  EpochSummary summary = later_->finish(progress_.best.metric());
  lists_ = std::move(later_->measured);
  listsEpoch_ = summary.epoch;
  later_.reset();
  lendThreads();
  progress_.rememberMetrics(summary);
  tell(std::move(summary));
}

// Best values of other rules are no measure of what comes. Epochs that were not kept are unknown by
// the rules of this program, and do not count as epochs without improvement either.
void Trainer::judgeKept() {
  if (!options_.resumeFrom || followsRules(options_.resumeFrom->manifest())) return;
  auto kept = measureKept(session_, validation_, *options_.resumeFrom,
                          {options_.progress, control_.stopToken()});
  if (!kept) return end(RunState::kFailed, kept.error());
  for (KeptEpoch& epoch : *kept) {
    const auto& metrics = epoch.event.metrics;
    if (const auto value = metricOf(metrics, progress_.best.metric()))
      epoch.event.best = progress_.best.offer(*value);
    if (epoch.event.best)
      keeper_.restore(progress_.step, progress_.epoch, epoch.event.step, keeper_.last());
    progress_.offerToStopping(metrics);
    emit(std::move(epoch.event));
    emit(experiment::RunNote{std::move(epoch.note)});
  }
}

// The epoch before a checkpoint, whose lists were not known when it was written. What was decided
// by the epoch is in the checkpoint.
void Trainer::measureAgain() {
  if (!unmeasured_) return;
  EpochSummary summary = *std::exchange(unmeasured_, std::nullopt);
  validate(summary);
  if (!mayGoOn()) return later_.reset();
  summary.seconds = summary.trainSeconds + summary.validationSeconds + summary.retrievalSeconds;
  progress_.rememberMetrics(summary);
  if (later_)
    later_->summary = std::move(summary);
  else
    tell(std::move(summary));
}

// Warns once, after the first epoch that shows it, so that users do not wait for the others.
void Trainer::warnIfNothingIsLearned(const EpochSummary& summary, double equalScores) {
  const double loss = session_.model().heads.size() > 1 ? std::nan("") : summary.loss;
  if (saidThatNothingIsLearned_ ||
      !(std::abs(loss - equalScores) <= experiment::kEqualScoresShare * equalScores))
    return;
  saidThatNothingIsLearned_ = true;
  emit(experiment::RunWarning{nothingLearned(summary.epoch, loss, equalScores)});
}

void Trainer::endEpoch() {
  finishLists();
  const TrainingProgress trained = progress_;
  const double equalScores = progress_.losses.lossOfEqualScores();
  EpochSummary summary = progress_.endEpoch(session_.model());
  displayAsPublished(summary, displayed_);
  summary.learningRate = session_.learningRate(std::max<std::int64_t>(1, progress_.step));
  if (const auto temperature = session_.temperature())
    summary.metrics.emplace_back("temperature", *temperature);
  if (!validate(summary)) {
    // The epoch ends again, with all of its validation, in a run that is resumed from here.
    progress_ = trained;
    return;
  }
  requireIntactData();
  summary.seconds = summary.trainSeconds + summary.validationSeconds +
                    (later_ ? later_->heldUpSeconds : summary.retrievalSeconds);
  progress_.rememberMetrics(summary);
  warnIfNothingIsLearned(summary, equalScores);
  if (later_)
    later_->summary = summary;
  else
    tell(summary);
  // Before the checkpoint, which carries the count of epochs without improvement.
  progress_.offerToStopping(summary.metrics);
  maybeCheckpoint(summary);
}

void Trainer::maybeCheckpoint(const EpochSummary& summary) {
  const auto& every = experiment_.training.checkpoints.every;
  const bool due = every && *every > 0 && summary.epoch % *every == 0;
  const auto tracked = metricOf(summary.metrics, progress_.best.metric());
  const BestMetric before = progress_.best;
  const bool improved = tracked && progress_.best.offer(*tracked);
  if (!due && !improved) return;
  // A failure has emitted a warning and is retried at the next occasion.
  (void)commit(improved ? CheckpointReason::kBest : CheckpointReason::kDue);
  // A best value without a checkpoint must not prevent the next one that is as good.
  if (improved && keeper_.bestStep() != progress_.step) progress_.best = before;
}

void Trainer::measureTest() {
  const auto lists = experiment_.evaluation.catalogue == experiment::CatalogueTime::kNever
                         ? Evaluator::Lists::kSkip
                         : Evaluator::Lists::kMeasure;
  Evaluator test(session_, experiment_, split_, interactions_.get(), SplitPart::kTest);
  const WorkContext context{options_.progress, control_.stopToken()};
  auto measured = test.measure("test_", progress_.epoch, context, lists);
  if (!measured) return end(RunState::kFailed, measured.error());
  if (isStopped())
    result_.state = RunState::kStopped;
  else
    result_.testMetrics = std::move(measured->metrics);
}

void Trainer::finish() {
  const bool stopped = isStopped() && !hasFailed();
  if (stopped && fitting_) fitting_->cancel();
  // A run that was stopped before its first step here begins again as it began now.
  const bool asBegun = stopped && result_.examplesHere == 0;
  // A resumed run measures the lists again where the checkpoint has their weights.
  if (later_ && stopped && (asBegun || progress_.batch == 0))
    later_->cancel();
  else
    finishLists();
  if (isStopped() && !hasFailed()) result_.state = RunState::kStopped;
  if (!hasFailed() && !asBegun && control_.ending() != RunControl::Ending::kAbort)
    if (const Status committed = commit(CheckpointReason::kLast); !committed.ok() && !hasFailed())
      end(isOfFullDisk(committed.error()) ? RunState::kDiskFull : RunState::kFailed,
          committed.error());
  later_.reset();
  if (result_.state == RunState::kFinished && !split_.test.empty()) measureTest();
  takeBaselines();
  if (validation_.lists())
    for (std::string& note : validation_.lists()->ranking().tied(lists_))
      emit(experiment::RunWarning{std::move(note)});
  requireIntactData();
  result_.steps = progress_.step;
  result_.checkpoint = keeper_.last();
  result_.seconds = progress_.seconds();
  result_.trainSeconds = progress_.trainSeconds();
  control_.close();
  if (auto use = progress_.times.rest()) emit(experiment::TimeSpent{std::move(*use)});
  emit(experiment::RunEnded{result_.state, result_.error, result_.testMetrics, result_.seconds,
                            result_.trainSeconds});
}

TrainerResult Trainer::run() {
  // Requests for snapshots are answered even if a step throws.
  struct Closing {
    RunControl& control;
    ~Closing() { control.close(); }
  } const closing{control_};
  if (options_.resumeFrom) restore(*options_.resumeFrom);
  if (options_.forkFrom) progress_.fork(options_.forkFrom->manifest(), options_.forkPosition);
  const double trainedBefore = progress_.trainSeconds();
  announce();
  // A checkpoint of an earlier version may have slots that are not.
  if (mayGoOn() && (options_.resumeFrom || options_.forkFrom)) (void)staysFinite();
  // The run must not need the other one again. Failure has emitted a warning.
  if (mayGoOn() && options_.forkFrom) (void)commit(CheckpointReason::kDue);
  if (mayGoOn()) judgeKept();
  if (mayGoOn()) measureAgain();
  while (mayGoOn() && !progress_.isComplete() && trainEpoch()) endEpoch();
  finish();
  result_.trainSecondsHere = result_.trainSeconds - trainedBefore;
  return std::move(result_);
}

}  // namespace

TrainerResult train(Session& session, const experiment::Experiment& experiment,
                    const data::Split& split, const TrainerOptions& options, RunControl& control,
                    experiment::RunSink& sink) {
  if (session.history().empty()) session.useHistory(split.train);
  return Trainer(session, experiment, split, options, control, sink).run();
}

}  // namespace parapet::train

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_controller.h"

#include <QMetaObject>
#include <filesystem>

#include "engine/base/log.h"
#include "engine/experiment/verdict_text.h"
#include "engine/workspace/downloads.h"
#include "ui/bridge/background.h"
#include "ui/bridge/progress.h"
#include "ui/bridge/run_queue.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {

using experiment::RunState;

/// `launching` a resume opens its checkpoint; `handle` a run lives; `closing` its thread is joined.
struct RunController::State {
  State(RunController& owner, workspace::Workspace& ofWorkspace, RunBridge& ofBridge)
      : controller(owner), workspace(ofWorkspace), bridge(ofBridge) {}

  void begin(const experiment::Experiment& what, const QString& id);
  workspace::RunOptions options(const QString& origin);
  void showWork(const QString& stage, qint64 done, qint64 total);
  void adopt(std::unique_ptr<workspace::RunHandle> run);
  void become(RunState next);
  void runEnded(const experiment::RunEnded& event);
  void close(const experiment::RunEnded& event);
  void refuse(const Error& error);
  void drop(const experiment::RunEnded& event);
  void forget();
  void build(const std::shared_ptr<const retrieval::ModelSnapshot>& snapshot);
  void connectBridge();
  void follow(const RunStatus& status);
  void begin(const experiment::RunStarted& event);
  void applyProgress();

  RunController& controller;
  workspace::Workspace& workspace;
  RunBridge& bridge;
  experiment::Experiment experiment;
  QString runId, previousId;
  RunState runState = RunState::kQueued, previousState = RunState::kQueued;
  RunProgress progress;
  EtaEstimator eta;
  workspace::TransferMeter fitting;  ///< of the baselines that the run waits for at its end
  bool busy = false;                 ///< from start() to ended() or failed()
  bool isNew = false;  ///< the store knows it once it trains; a resumed run is known before
  bool snapshotUnderWay = false;
  bool wantsPause = false, wantsStop = false;  ///< asked before there was a handle
  std::optional<experiment::RunEnded> early;   ///< the end, told before there was a handle
  std::unique_ptr<workspace::RunHandle> handle;
  Background launching, closing;
  Background building{"watch"};
  std::unique_ptr<RunQueue> queue;  ///< last: it watches the others
};

void RunController::State::connectBridge() {
  connect(&bridge, &RunBridge::statusChanged, &controller,
          [this](const QString& id, const RunStatus& status) {
            if (busy && id == runId) follow(status);
          });
}

void RunController::State::follow(const RunStatus& status) {
  if (status.started) begin(*status.started);
  if (const experiment::StepPoint& step = status.step; step.step > eta.stepsDone()) {
    experiment::StepBucket upToNow;
    upToNow.firstStep = upToNow.lastStep = step.step;
    upToNow.epoch = progress.epoch = step.epoch;
    upToNow.seconds = step.seconds;
    eta.addSteps(upToNow);
  }
  if (status.epochEnded) eta.addEpoch(*status.epochEnded);
  if (status.state == RunState::kPaused) eta.skipNextGap();
  const std::int64_t perEpoch = progress.epochs ? eta.stepsTotal() / progress.epochs : 0;
  const bool lastOfEpoch = perEpoch > 0 && eta.stepsDone() > 0 && eta.stepsDone() % perEpoch == 0;
  if (eta.stepsTotal() > 0)
    progress.stage = lastOfEpoch && !status.epochEnded ? RunController::tr("validating")
                                                       : RunController::tr("training");
  if (status.ended) progress.stage = RunController::tr("saving");
  become(status.state);
  applyProgress();
  if (status.ended) runEnded(*status.ended);
}

void RunController::State::begin(const experiment::RunStarted& event) {
  eta.start(event, experiment.training.validateEvery);
  progress.epochs = event.totalEpochs;
  progress.epoch = event.stepsPerEpoch > 0 ? event.firstStep / event.stepsPerEpoch + 1 : 1;
}

void RunController::State::applyProgress() {
  progress.done = eta.stepsDone();
  progress.total = eta.stepsTotal();
  const EtaEstimator::Range range = eta.remaining();
  progress.etaLowSeconds = range.lowSeconds;
  progress.etaHighSeconds = range.highSeconds;
  emit controller.progressChanged();
}

void RunController::State::begin(const experiment::Experiment& what, const QString& id) {
  experiment = what;
  previousId = std::exchange(runId, id);
  previousState = runState;
  busy = true;
  snapshotUnderWay = wantsPause = wantsStop = false;
  early.reset();
  eta = {};
  fitting = {};
  progress = {};
  progress.stage = RunController::tr("preparing");
  progress.epochs = what.training.epochs;
}

workspace::RunOptions RunController::State::options(const QString& origin) {
  workspace::RunOptions options;
  options.recipe = origin.toStdString();
  options.sink = &bridge;
  // Called from the run's thread, which is joined before this object goes.
  options.progress = latestProgressTo(
      &controller,
      [this](const QString& stage, qint64 done, qint64 total) { showWork(stage, done, total); });
  return options;
}

void RunController::State::showWork(const QString& stage, qint64 done, qint64 total) {
  // Once training has begun, what is still in the event queue is old, but for what a trained run waits for.
  const bool fits = stage.startsWith(
      QLatin1String(experiment::kFittingStage.data(), experiment::kFittingStage.size()));
  if (!busy || (eta.stepsTotal() > 0 && !fits)) return;
  if (fits) {
    fitting.report(done, total);
    progress.epoch = 0;
    progress.etaLowSeconds = progress.etaHighSeconds = fitting.secondsLeft().value_or(-1.0);
  }
  progress.stage = fits ? RunController::tr("%1 (Stop goes on without it)").arg(stage) : stage;
  progress.done = done;
  progress.total = total;
  emit controller.progressChanged();
}

void RunController::State::adopt(std::unique_ptr<workspace::RunHandle> run) {
  handle = std::move(run);
  runId = QString::fromStdString(handle->id());
  handle->watchBatches([to = &controller, id = runId](auto report) {
    QMetaObject::invokeMethod(
        to, [to, id, report] { emit to->batchStepped(id, report); }, Qt::QueuedConnection);
  });
  if (wantsPause) handle->pause();
  if (wantsStop) handle->stop();
  emit controller.started(runId);
  emit controller.progressChanged();
  if (early) close(*std::exchange(early, std::nullopt));
}

void RunController::State::become(RunState next) {
  if (runState == next) return;
  runState = next;
  emit controller.stateChanged(next);
}

void RunController::State::runEnded(const experiment::RunEnded& event) {
  if (handle)
    close(event);
  else if (launching.running())
    early = event;
}

// The event was the last thing the run did but for committing what the store still holds; that wait
// belongs to another thread.
void RunController::State::close(const experiment::RunEnded& event) {
  closing.start(
      [run = std::shared_ptr<workspace::RunHandle>(std::move(handle))](
          const WorkContext&) mutable -> Result<bool> {
        const auto outcome = run->wait();
        run.reset();
        return !outcome.runId.empty();
      },
      [this, event](const Result<bool>& recorded) {
        // A listener to the end finds the whole curve.
        bridge.drain();
        if (isNew && recorded && !*recorded) return drop(event);
        busy = snapshotUnderWay = false;
        progress.etaLowSeconds = progress.etaHighSeconds = -1.0;
        emit controller.progressChanged();
        emit controller.ended(runId, event.state,
                              event.error ? shownText(event.error->text()) : QString());
      });
}

// The run ended before it trained, most likely while it imported its data: no command knows its id.
void RunController::State::drop(const experiment::RunEnded& event) {
  const QString id = runId;
  snapshotUnderWay = false;
  const bool stopped = !event.error || event.error->code == ErrorCode::kCancelled;
  if (!stopped) return refuse(*event.error);
  forget();
  emit controller.ended(id, event.state, QString());
}

void RunController::State::forget() {
  busy = false;
  progress = {};
  runId = previousId;
  become(previousState);
  emit controller.progressChanged();
}

void RunController::State::refuse(const Error& error) {
  forget();
  emit controller.failed(error);
}

void RunController::State::build(const std::shared_ptr<const retrieval::ModelSnapshot>& snapshot) {
  const auto dataset = handle ? handle->dataset() : nullptr;
  const auto split = handle ? handle->split() : nullptr;
  if (!dataset || !split) {
    snapshotUnderWay = false;
    return;
  }
  using Answer = Result<std::shared_ptr<const retrieval::Recommender>>;
  building.start(
      [what = experiment, snapshot, dataset, split](const WorkContext&) -> Answer {
        return workspace::Workspace::recommender(what, snapshot, dataset, *split);
      },
      [this, id = runId](const Answer& answer) {
        if (id == runId) snapshotUnderWay = false;
        if (answer)
          emit controller.recommenderReady(id, *answer);
        else
          log(LogLevel::kWarning, answer.error().text());
      });
}

Status folderIsThere(const workspace::Workspace& workspace) {
  std::error_code ignored;
  if (workspace::Workspace::isModel(workspace.folder())) return *workspace.readOnlyBecause();
  if (std::filesystem::exists(workspace.folder() / "parapet.db", ignored)) return {};
  return Error{ErrorCode::kIo,
               "The workspace folder " + workspace.folder().string() +
                   " is gone. Move it back and this window goes on with it, or start Parapet with "
                   "another --workspace"};
}

RunController::RunController(workspace::Workspace& workspace, RunBridge& bridge, QObject* parent)
    : QObject(parent), state_(std::make_unique<State>(*this, workspace, bridge)) {
  state_->connectBridge();
  state_->queue = std::make_unique<RunQueue>(workspace, *this);
}

RunController::~RunController() {
  state_->queue.reset();
  state_->busy = false;
  disconnect(&state_->bridge, nullptr, this, nullptr);
  if (!state_->handle && !state_->launching.running()) return;
  if (state_->handle) state_->handle->stop();
  // The run may be waiting for space in a bridge that nobody empties any more.
  state_->bridge.close();
}

void RunController::start(const experiment::Experiment& experiment, const QString& origin,
                          const QString& experimentId) {
  State& state = *state_;
  if (state.busy)
    return emit failed(
        Error{ErrorCode::kInvalidDocument, "a run is under way; stop it before you start another"});
  state.begin(experiment, QString());
  state.isNew = true;
  state.become(RunState::kQueued);
  if (const Status there = folderIsThere(state.workspace); !there.ok())
    return state.refuse(there.error());
  workspace::RunOptions options = state.options(origin);
  options.experimentId = experimentId.toStdString();
  auto handle = state.workspace.start(experiment, std::move(options));
  if (!handle) return state.refuse(handle.error());
  state.adopt(std::move(handle).value());
}

void RunController::startQueued(const QString& runId) {
  State& state = *state_;
  const auto experiment = state.workspace.experimentOf(runId.toStdString());
  state.begin(experiment ? *experiment : experiment::Experiment(), runId);
  state.isNew = false;
  state.become(RunState::kQueued);
  auto handle = state.workspace.startQueued(runId.toStdString(), state.options(QString()));
  if (!handle) return state.refuse(handle.error());
  state.adopt(std::move(handle).value());
}

RunQueue& RunController::queue() const {
  return *state_->queue;
}

void RunController::resumeRun(const QString& runId) {
  State& state = *state_;
  if (state.busy)
    return emit failed(Error{ErrorCode::kInvalidDocument,
                             "a run is under way; stop it before you resume another"});
  const auto experiment = state.workspace.experimentOf(runId.toStdString());
  if (!experiment) return emit failed(experiment.error());
  state.begin(*experiment, runId);
  state.isNew = false;
  state.become(RunState::kQueued);
  if (const Status there = folderIsThere(state.workspace); !there.ok())
    return state.refuse(there.error());
  emit progressChanged();
  using Answer = Result<std::unique_ptr<workspace::RunHandle>>;
  state.launching.start(
      [&workspace = state.workspace, id = runId.toStdString(), options = state.options(QString())](
          const WorkContext&) -> Answer { return workspace.resume(id, options); },
      [&state](Answer answer) {
        if (answer)
          state.adopt(std::move(answer).value());
        else
          state.refuse(answer.error());
      });
}

void RunController::pause() {
  state_->wantsPause = true;
  if (state_->handle) state_->handle->pause();
}

void RunController::resume() {
  state_->wantsPause = false;
  if (state_->handle) state_->handle->resume();
}

void RunController::step() {
  if (state_->handle) state_->handle->step();
}

void RunController::stop() {
  state_->wantsStop = true;
  if (state_->handle) state_->handle->stop();
}

bool RunController::active() const {
  return state_->busy;
}
QString RunController::runId() const {
  return state_->runId;
}
RunState RunController::state() const {
  return state_->runState;
}
const RunProgress& RunController::progress() const {
  return state_->progress;
}
const experiment::Experiment& RunController::experiment() const {
  return state_->experiment;
}
workspace::RunHandle* RunController::handle() const {
  return state_->handle.get();
}

bool RunController::requestRecommender() {
  State& state = *state_;
  if (!state.handle || state.snapshotUnderWay) return false;
  const bool asked = state.handle->requestSnapshot(
      [this, id = state.runId](std::shared_ptr<const retrieval::ModelSnapshot> snapshot) {
        QMetaObject::invokeMethod(
            this,
            [this, id, snapshot] {
              if (state_->busy && state_->runId == id) state_->build(snapshot);
            },
            Qt::QueuedConnection);
      });
  state.snapshotUnderWay = asked;
  return asked;
}

}  // namespace parapet::ui

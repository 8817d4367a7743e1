// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/run_feed.h"

namespace parapet::ui {

using experiment::RunState;

RunFeed::RunFeed(workspace::Workspace& workspace, RunBridge& bridge, RunController& controller,
                 RunCurves& curves, QObject* parent)
    : QObject(parent), workspace_(workspace), controller_(controller), curves_(curves) {
  connectBridge(bridge);
  connect(&pollTimer_, &QTimer::timeout, this, &RunFeed::poll);
}

void RunFeed::connectBridge(RunBridge& bridge) {
  connect(&bridge, &RunBridge::runStarted, this,
          [this](const QString& id, const experiment::RunStarted& event) {
            apply(id, [this, event] {
              curves_.start(event);
              refresh();
            });
          });
  connect(&bridge, &RunBridge::stepsArrived, this, [this](const QString& id, const StepBuckets& b) {
    apply(id, [this, b] { curves_.addSteps(b); });
  });
  connect(&bridge, &RunBridge::epochEnded, this,
          [this](const QString& id, const experiment::EpochEnded& event) {
            apply(id, [this, event] { curves_.endEpoch(event.summary); });
          });
  connect(&bridge, &RunBridge::timeSpent, this,
          [this](const QString& id, const experiment::TimeSpent& event) {
            apply(id, [this, event] { curves_.spend(event.use); });
          });
  connect(&bridge, &RunBridge::stateChanged, this, [this](const QString& id, RunState state) {
    apply(id, [this, state] {
      curves_.setState(state);
      refresh();
    });
  });
  connect(&bridge, &RunBridge::runEnded, this,
          [this](const QString& id, const experiment::RunEnded& event) {
            apply(id, [this, event] {
              curves_.setState(event.state, event.error
                                                ? QString::fromStdString(event.error->text())
                                                : QString());
              refresh();
            });
          });
  // The store words the marks, so that a run looks the same live and later.
  const auto mark = [this](const QString& id) { apply(id, [this] { refresh(); }); };
  connect(&bridge, &RunBridge::checkpointWritten, this, mark);
  connect(&bridge, &RunBridge::warning, this, mark);
}

bool RunFeed::isOwn() const {
  return !runId_.isEmpty() && controller_.active() && controller_.runId() == runId_;
}

void RunFeed::apply(const QString& runId, std::function<void()> change) {
  if (runId != runId_) return;
  if (loading_)
    waiting_.push_back(std::move(change));
  else
    change();
}

void RunFeed::show(const QString& runId) {
  runId_ = runId;
  loading_ = true;
  refreshAgain_ = false;
  waiting_.clear();
  refresher_.cancel();
  loader_.start(
      [&store = workspace_.store(), id = runId.toStdString()](const WorkContext&) {
        // A store that cannot write now still tells what it has.
        (void)store.flush();
        return readStoredRun(store, id);
      },
      [this](Result<StoredRun> run) { finishLoading(std::move(run)); });
}

void RunFeed::clear() {
  loader_.cancel();
  refresher_.cancel();
  runId_.clear();
  loading_ = false;
  waiting_.clear();
  curves_.clear();
}

void RunFeed::finishLoading(Result<StoredRun> run) {
  loading_ = false;
  if (run) {
    curves_.begin(*run);
  } else if (isOwn() && run.error().code == ErrorCode::kNotFound) {
    // It imports its data and is recorded afterwards.
    curves_.begin(runId_, controller_.experiment());
  } else {
    const QString text = QString::fromStdString(run.error().text());
    clear();
    emit failed(text);
    return;
  }
  for (const auto& change : std::exchange(waiting_, {})) change();
  emit loaded();
}

void RunFeed::refresh() {
  if (refresher_.running()) {
    refreshAgain_ = true;
    return;
  }
  refresher_.start(
      [&store = workspace_.store(), id = runId_.toStdString(), step = curves_.lastStep(),
       epoch = curves_.lastEpoch()](const WorkContext&) {
        (void)store.flush();
        return readStoredTail(store, id, step, epoch);
      },
      [this](const Result<StoredTail>& tail) { finishRefresh(tail); });
}

void RunFeed::finishRefresh(const Result<StoredTail>& tail) {
  if (std::exchange(refreshAgain_, false)) {
    // What was read is older than what has been told meanwhile.
    refresh();
    return;
  }
  // A run deleted elsewhere stays on the screen as it was.
  if (!tail) return;
  // Resumed by another process from an earlier step: what was drawn after it did not happen.
  if (!isOwn() && tail->record.steps < curves_.lastStep()) return show(runId_);
  curves_.add(*tail);
}

void RunFeed::setPolling(bool on) {
  if (on)
    pollTimer_.start(kPollMs);
  else
    pollTimer_.stop();
}

void RunFeed::poll() {
  if (loading_ || curves_.empty() || isOwn()) return;
  if (!experiment::isTerminal(curves_.facts().state)) refresh();
}

}  // namespace parapet::ui

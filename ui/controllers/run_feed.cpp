// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/run_feed.h"

#include <unordered_set>
#include <utility>

#include "engine/base/log.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {

using experiment::RunState;

RunsSource::RunsSource(store::RunStore& store, RunBridge& bridge, RunsModel& model, QObject* parent)
    : QObject(parent), store_(store), model_(model) {
  connect(&timer_, &QTimer::timeout, this, &RunsSource::refresh);
  const auto changed = [this] {
    if (active_) refresh();
  };
  connect(&bridge, &RunBridge::runStarted, this, changed);
  connect(&bridge, &RunBridge::stateChanged, this, changed);
  connect(&bridge, &RunBridge::runEnded, this, changed);
}

void RunsSource::setActive(bool active) {
  active_ = active;
  if (!active) return timer_.stop();
  entered_ = true;
  timer_.start(kPollMs);
  refresh();
}

void RunsSource::refresh() {
  if (reader_.running()) {
    again_ = true;
    return;
  }
  reader_.start(
      [&store = store_, known = model_.rows()](const WorkContext&) {
        // A store that cannot write now still tells what it has.
        (void)store.flush();
        return readRunRows(store, known);
      },
      [this](Result<std::vector<RunRow>> rows) { finish(std::move(rows)); });
}

void RunsSource::setHeld(bool held) {
  if (std::exchange(held_, held) && !held && active_) refresh();
}

void RunsSource::finish(Result<std::vector<RunRow>> rows) {
  // Older than what has happened meanwhile, e.g. a new name: reading again, it would flicker.
  if (std::exchange(again_, false)) return refresh();
  if (rows) {
    lastError_.clear();
    if (!std::exchange(entered_, false) && held_ && model_.rowCount() > 0) {
      std::unordered_set<std::string> known;
      for (const RunRow& row : model_.rows()) known.insert(row.record.id);
      std::erase_if(*rows, [&known](const RunRow& row) { return !known.contains(row.record.id); });
    }
    model_.setRows(std::move(*rows));
    emit refreshed();
    return;
  }
  const QString text = shownText(rows.error().text());
  if (std::exchange(lastError_, text) != text) emit failed(text);
}

OwnerWatch::OwnerWatch(workspace::Workspace& workspace, QObject* parent)
    : QObject(parent), workspace_(workspace) {
  connect(&timer_, &QTimer::timeout, this, &OwnerWatch::poll);
  // Where nothing can be written, nothing can be marked.
  if (!workspace_.readOnlyBecause()) timer_.start(kPollMs);
}

void OwnerWatch::poll() {
  if (background_.running()) return;
  background_.start(
      [&workspace = workspace_](const WorkContext&) -> Result<std::vector<std::string>> {
        PARAPET_TRY(folderIsThere(workspace));
        return workspace.store().markCrashed();
      },
      [this](const Result<std::vector<std::string>>& found) {
        if (!found) {
          if (!std::exchange(inTrouble_, true)) emit failed(shownText(found.error().text()));
          return;
        }
        if (std::exchange(inTrouble_, false)) emit recovered();
        QStringList ids;
        for (const std::string& id : *found) ids.append(QString::fromStdString(id));
        if (!ids.isEmpty()) emit crashed(ids);
      });
}

RunFeed::RunFeed(workspace::Workspace& workspace, RunBridge& bridge, RunController& controller,
                 RunCurves& curves, QObject* parent)
    : QObject(parent), workspace_(workspace), controller_(controller), curves_(curves) {
  connectBridge(bridge);
  connect(&curves_, &RunCurves::stepsAdded, this, [this](const RunCurves::StepBuckets& steps) {
    if (!overview_.empty()) overview_.insert(overview_.end(), steps.begin(), steps.end());
  });
  connect(&curves_, &RunCurves::truncated, this, [this](qint64 step) {
    std::erase_if(overview_, [step](const auto& bucket) { return bucket.lastStep > step; });
  });
  connect(&pollTimer_, &QTimer::timeout, this, &RunFeed::poll);
  // The run that was started ended before the store knew it.
  const auto leave = [this] {
    if (!unrecorded_ || controller_.runId() == runId_) return;
    clear();
    emit left(std::exchange(before_, {}));
  };
  connect(&controller, &RunController::failed, this, leave);
  connect(&controller, &RunController::ended, this, leave);
}

void RunFeed::connectBridge(RunBridge& bridge) {
  connect(&bridge, &RunBridge::runStarted, this,
          [this](const QString& id, const experiment::RunStarted& event) {
            if (id == runId_) unrecorded_ = false;
            apply(id, [this, event] {
              curves_.start(event);
              refresh();
            });
          });
  connect(&bridge, &RunBridge::stepsArrived, this, [this](const QString& id, const StepBuckets& b) {
    apply(id, [this, b] { curves_.addSteps(b); });
  });
  connect(&bridge, &RunBridge::baselinesMeasured, this,
          [this](const QString& id, const experiment::BaselinesMeasured& event) {
            apply(id, [this, event] { curves_.setBaselines(event); });
          });
  connect(&bridge, &RunBridge::epochEnded, this,
          [this](const QString& id, const experiment::EpochEnded& event) {
            apply(id, [this, event] { curves_.endEpoch(event.summary); });
          });
  connect(&bridge, &RunBridge::epochMeasuredAgain, this,
          [this](const QString& id, const experiment::EpochMeasuredAgain& event) {
            apply(id, [this, event] { curves_.measureAgain(event); });
          });
  connect(&bridge, &RunBridge::timeSpent, this,
          [this](const QString& id, const experiment::TimeSpent& event) {
            apply(id, [this, event] { curves_.spend(event.use); });
          });
  connect(&bridge, &RunBridge::statusChanged, this,
          [this](const QString& id, const RunStatus& status) { follow(id, status); });
  connect(&bridge, &RunBridge::runEnded, this,
          [this](const QString& id, const experiment::RunEnded& event) {
            apply(id, [this, event] {
              curves_.setState(event.state,
                               event.error ? shownText(event.error->text()) : QString());
              refresh();
            });
          });
  // The store words the marks, so that a run looks the same live and later.
  const auto mark = [this](const QString& id) { apply(id, [this] { refresh(); }); };
  connect(&bridge, &RunBridge::stateChanged, this, mark);
  connect(&bridge, &RunBridge::checkpointWritten, this, mark);
  connect(&bridge, &RunBridge::warning, this, mark);
}

bool RunFeed::isOwn() const {
  return !runId_.isEmpty() && controller_.active() && controller_.runId() == runId_;
}

/// The state does not wait for the points before it, nor for the store.
void RunFeed::follow(const QString& runId, const RunStatus& status) {
  if (runId != runId_ || curves_.empty() || curves_.facts().state == status.state) return;
  const bool failed = status.ended && status.ended->error;
  curves_.setState(status.state, failed ? shownText(status.ended->error->text()) : QString());
}

void RunFeed::apply(const QString& runId, std::function<void()> change) {
  if (runId != runId_) return;
  if (!loading_ || isOwn()) change();
  if (loading_) waiting_.push_back(std::move(change));
}

void RunFeed::show(const QString& runId) {
  if (runId != runId_) before_ = runId_;
  runId_ = runId;
  unrecorded_ = isOwn();
  loading_ = true;
  refreshAgain_ = false;
  waiting_.clear();
  refresher_.cancel();
  detailer_.cancel();
  overview_.clear();
  // A live run is drawn even while the store cannot be read; the curves of one that goes on stay
  // meanwhile.
  if (isOwn() && curves_.facts().runId == runId_)
    curves_.setState(controller_.state());
  else if (isOwn())
    curves_.begin(runId_, controller_.experiment());
  loader_.start(
      [&store = workspace_.store(), id = runId.toStdString(),
       buckets = kBucketsPerPixel * width_](const WorkContext&) {
        // A store that cannot write now still tells what it has.
        (void)store.flush();
        return readStoredRun(store, id, buckets);
      },
      [this](Result<StoredRun> run) { finishLoading(std::move(run)); });
}

void RunFeed::clear() {
  loader_.cancel();
  refresher_.cancel();
  detailer_.cancel();
  overview_.clear();
  runId_.clear();
  unrecorded_ = loading_ = false;
  waiting_.clear();
  curves_.clear();
}

void RunFeed::finishLoading(Result<StoredRun> run) {
  loading_ = false;
  if (run) {
    unrecorded_ = false;
    curves_.begin(*run);
    if (run->reduced) overview_ = std::move(run->steps);
    for (const auto& change : waiting_) change();
    if (isOwn()) curves_.setState(controller_.state());
  } else if (isOwn()) {
    // While it imports its data it is not recorded yet.
    if (run.error().code != ErrorCode::kNotFound)
      log(LogLevel::kWarning, run.error().wrap("what the run did before is not shown").text());
  } else {
    const QString text = shownText(run.error().text());
    clear();
    emit failed(text);
    return;
  }
  waiting_.clear();
  emit loaded();
}

void RunFeed::showDetail(std::int64_t firstStep, std::int64_t lastStep) {
  const auto begin = std::ranges::partition_point(
      overview_, [&](const auto& bucket) { return bucket.lastStep < firstStep; });
  const auto end = std::partition_point(
      begin, overview_.end(), [&](const auto& bucket) { return bucket.firstStep <= lastStep; });
  if (begin == end || end - begin >= width_) return;
  if (std::all_of(begin, end, [](const auto& each) { return each.firstStep == each.lastStep; }))
    return;
  // Whole buckets of the overview, so that what is read takes their places.
  detailer_.start([&store = workspace_.store(), id = runId_.toStdString(), first = begin->firstStep,
                   last = (end - 1)->lastStep, buckets = kBucketsPerPixel * width_](
                      const WorkContext&) { return store.stepBlocks(id, first, last, buckets); },
                  [this](const Result<std::vector<experiment::StepBucket>>& detail) {
                    if (!detail || detail->empty() || overview_.empty()) return;
                    const std::int64_t first = detail->front().firstStep,
                                       last = detail->back().lastStep;
                    std::vector<experiment::StepBucket> steps;
                    for (const auto& bucket : overview_)
                      if (bucket.lastStep < first) steps.push_back(bucket);
                    steps.insert(steps.end(), detail->begin(), detail->end());
                    for (const auto& bucket : overview_)
                      if (bucket.firstStep > last) steps.push_back(bucket);
                    curves_.replaceSteps(steps);
                  });
}

void RunFeed::showAllSteps() {
  if (overview_.empty()) return;
  detailer_.start([&store = workspace_.store(),
                   id = runId_.toStdString()](const WorkContext&) { return store.steps(id); },
                  [this](Result<std::vector<experiment::StepBucket>> all) {
                    if (all) replaceBy(std::move(all).value());
                  });
}

void RunFeed::showAllStepsNow() {
  if (overview_.empty()) return;
  detailer_.cancel();
  if (auto all = workspace_.store().steps(runId_.toStdString()); all)
    replaceBy(std::move(all).value());
}

void RunFeed::replaceBy(std::vector<experiment::StepBucket> all) {
  const std::int64_t read = all.empty() ? 0 : all.back().lastStep;
  // Told since the store was read.
  for (const experiment::StepBucket& bucket : overview_)
    if (bucket.firstStep > read) all.push_back(bucket);
  overview_.clear();
  curves_.replaceSteps(all);
}

void RunFeed::refresh() {
  if (refresher_.running()) {
    refreshAgain_ = true;
    return;
  }
  refresher_.start(
      [&store = workspace_.store(), id = runId_.toStdString(),
       step = curves_.lastStep()](const WorkContext&) {
        (void)store.flush();
        return readStoredTail(store, id, step);
      },
      [this](const Result<StoredTail>& tail) { finishRefresh(tail); });
}

void RunFeed::finishRefresh(const Result<StoredTail>& tail) {
  if (std::exchange(refreshAgain_, false)) {
    // The points that were read are older than those told meanwhile.
    refresh();
    return;
  }
  // A run deleted elsewhere stays on the screen as it was.
  if (!tail) return;
  // Resumed by another process from an earlier step: what was drawn after it did not happen.
  if (!isOwn() && tail->record.steps < curves_.lastStep()) return show(runId_);
  StoredTail news = *tail;
  if (isOwn()) {
    // The bridge tells these; the store may have been read before.
    news.record.state = curves_.facts().state;
    news.record.error = curves_.facts().error.toStdString();
    std::erase_if(news.epochs, [last = curves_.lastEpoch()](const EpochRow& row) {
      return row.summary.epoch < last;
    });
  }
  curves_.add(news);
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

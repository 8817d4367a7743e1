// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/base/log.h"
#include "ui/bridge/run_controller.h"
#include "ui/bridge/shown_text.h"

namespace parapet::ui {

using experiment::RunState;
using store::RunRecord;

RunQueue::RunQueue(workspace::Workspace& workspace, RunController& runs, QObject* parent)
    : QObject(parent), workspace_(workspace), runs_(runs) {
  connect(&timer_, &QTimer::timeout, this, &RunQueue::poll);
  connect(&runs_, &RunController::started, this, &RunQueue::poll);
  connect(&runs_, &RunController::failed, this, &RunQueue::poll);
  connect(&runs_, &RunController::ended, this, [this](const QString&, RunState state) {
    // The next run would end in the same way.
    if (state == RunState::kDiskFull) held_ = true;
    poll();
  });
}

RunQueue::~RunQueue() {
  worker_.reset();
  if (!claim_->empty()) (void)workspace_.store().releaseQueued(*claim_);
}

void RunQueue::begin() {
  if (begun_ || workspace_.readOnlyBecause()) return;
  begun_ = true;
  if (const auto live = workspace_.store().liveRuns()) {
    sort(*live);
    held_ = !waiting_.empty() && elsewhere_.empty() && !runs_.active();
  }
  emit changed();
  if (held_) emit offered(static_cast<int>(waiting_.size()), shownText(waiting_.front().name));
  timer_.start(kPollMs);
}

const RunRecord* RunQueue::findElsewhere(const QString& runId) const {
  const auto found = std::ranges::find(elsewhere_, runId.toStdString(), &RunRecord::id);
  return found == elsewhere_.end() ? nullptr : &*found;
}

void RunQueue::poll() {
  if (!begun_) return;
  if (worker_->running()) {
    again_ = true;
    return;
  }
  const bool mayClaim = !held_ && !runs_.active();
  worker_->start(
      [&workspace = workspace_, claim = claim_, mayClaim](const WorkContext&) -> Result<Seen> {
        Seen seen;
        PARAPET_TRY(folderIsThere(workspace));
        if (mayClaim) {
          PARAPET_ASSIGN(seen.claimed, workspace.store().claimQueued());
          if (seen.claimed) *claim = *seen.claimed;
        }
        PARAPET_ASSIGN(seen.live, workspace.store().liveRuns());
        return seen;
      },
      [this](const Result<Seen>& seen) { finish(seen); });
}

void RunQueue::finish(const Result<Seen>& seen) {
  if (!seen) {
    const QString text = shownText(seen.error().text());
    // A folder that is gone is told by others.
    if (std::exchange(lastError_, text) != text) log(LogLevel::kWarning, text.toStdString());
  } else {
    lastError_.clear();
    sort(seen->live);
  }
  if (const std::string claimed = std::exchange(*claim_, {}); !claimed.empty())
    startClaimed(claimed);
  if (std::exchange(again_, false)) poll();
}

void RunQueue::startClaimed(const std::string& runId) {
  // Somebody pressed Run, or stopped the queue, while it was claimed.
  if (runs_.active() || held_) {
    (void)done(workspace_.store().releaseQueued(runId));
    return poll();
  }
  const QString id = QString::fromStdString(runId);
  runs_.startQueued(id);
  if (runs_.active() && runs_.runId() == id) emit started(id, shownText(runs_.experiment().name));
  poll();
}

void RunQueue::sort(const std::vector<RunRecord>& live) {
  const std::string own = runs_.active() ? runs_.runId().toStdString() : std::string();
  std::vector<RunRecord> waiting, elsewhere;
  for (const RunRecord& run : live) {
    if (run.isWaiting())
      waiting.push_back(run);
    else if (run.id != own && run.id != *claim_)
      elsewhere.push_back(run);
  }
  const auto key = [](const RunRecord& run) {
    return std::tie(run.id, run.name, run.state, run.epochs, run.totalEpochs, run.queued);
  };
  const bool same = std::ranges::equal(waiting, waiting_, {}, key, key) &&
                    std::ranges::equal(elsewhere, elsewhere_, {}, key, key);
  waiting_ = std::move(waiting);
  elsewhere_ = std::move(elsewhere);
  const std::size_t open = asked_.size();
  dropAnswered();
  if (waiting_.empty()) held_ = false;
  if (!same || asked_.size() != open) emit changed();
}

void RunQueue::dropAnswered() {
  std::erase_if(asked_, [this](const auto& asked) {
    const RunRecord* run = findElsewhere(asked.first);
    if (!run) return true;
    const bool paused = run->state == RunState::kPaused;
    return (asked.second == store::Request::kPause && paused) ||
           (asked.second == store::Request::kResume && !paused);
  });
}

bool RunQueue::done(const Status& status) {
  if (!status.ok()) emit failed(shownText(status.error().text()));
  return status.ok();
}

void RunQueue::add(const experiment::Experiment& experiment, const QString& origin,
                   const QString& experimentId) {
  if (const Status there = folderIsThere(workspace_); !there.ok())
    return emit refused(there.error());
  workspace::RunOptions options;
  options.recipe = origin.toStdString();
  options.experimentId = experimentId.toStdString();
  const auto id = workspace_.queueRun(experiment, std::move(options));
  if (!id) return emit refused(id.error());
  held_ = false;
  emit added(QString::fromStdString(*id), shownText(experiment.name));
  poll();
}

void RunQueue::remove(const QStringList& runIds) {
  QStringList ids, names;
  for (const QString& id : runIds) {
    const auto run = std::ranges::find(waiting_, id.toStdString(), &RunRecord::id);
    if (run == waiting_.end() || !done(workspace_.store().dequeue(run->id))) continue;
    ids << id;
    names << shownText(run->name);
  }
  if (!ids.isEmpty()) emit removed(ids, names);
  poll();
}

void RunQueue::putBack(const QStringList& runIds) {
  for (const QString& id : runIds) (void)done(workspace_.store().requeue(id.toStdString()));
  poll();
}

void RunQueue::move(const QString& runId, int places) {
  (void)done(workspace_.store().moveQueued(runId.toStdString(), places));
  poll();
}

void RunQueue::hold() {
  held_ = true;
  emit changed();
}

void RunQueue::goOn() {
  held_ = false;
  emit changed();
  poll();
}

void RunQueue::ask(const QString& runId, store::Request what) {
  if (!done(workspace_.store().request(runId.toStdString(), what))) return poll();
  asked_[runId] = what;
  emit changed();
}

bool RunQueue::askPause(const QString& runId) {
  const RunRecord* run = findElsewhere(runId);
  if (run)
    ask(runId, run->state == RunState::kPaused ? store::Request::kResume : store::Request::kPause);
  return run != nullptr;
}

std::optional<store::Request> RunQueue::asked(const QString& runId) const {
  const auto found = asked_.find(runId);
  return found == asked_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_bridge.h"

#include <fmt/format.h>

#include <QElapsedTimer>
#include <QMetaType>
#include <algorithm>
#include <limits>
#include <utility>

#include "ui/bridge/pause.h"

namespace parapet::ui {
namespace {

using namespace experiment;

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

constexpr std::int64_t kAllSteps = std::numeric_limits<std::int64_t>::max();

}  // namespace

void registerRunMetaTypes() {
  qRegisterMetaType<RunStarted>("parapet::experiment::RunStarted");
  qRegisterMetaType<BaselinesMeasured>("parapet::experiment::BaselinesMeasured");
  qRegisterMetaType<EpochEnded>("parapet::experiment::EpochEnded");
  qRegisterMetaType<EpochMeasuredAgain>("parapet::experiment::EpochMeasuredAgain");
  qRegisterMetaType<TimeSpent>("parapet::experiment::TimeSpent");
  qRegisterMetaType<CheckpointWritten>("parapet::experiment::CheckpointWritten");
  qRegisterMetaType<CheckpointRemoved>("parapet::experiment::CheckpointRemoved");
  qRegisterMetaType<RunState>("parapet::experiment::RunState");
  qRegisterMetaType<RunEnded>("parapet::experiment::RunEnded");
  qRegisterMetaType<StepBuckets>("parapet::ui::StepBuckets");
  qRegisterMetaType<RunStatus>("parapet::ui::RunStatus");
}

RunBridge::RunBridge(Capacity capacity, QObject* parent)
    : QObject(parent),
      ringCapacity_(capacity.steps),
      eventCapacity_(capacity.events),
      events_(capacity.events) {
  if (capacity.events < 1 || capacity.steps < 2)
    throw InvalidArgument(fmt::format(
        "[bridge.RunBridge] capacity of {} events and {} steps; accepted are at least 1 and 2",
        capacity.events, capacity.steps));
  registerRunMetaTypes();
  connect(&timer_, &ReplotTimer::due, this, &RunBridge::drain);
  callAfterPause(statusTimer_, kStatusMs, this, &RunBridge::tellStatuses);
}

RunBridge::~RunBridge() {
  close();
}

void RunBridge::close() {
  events_.close();
}

std::shared_ptr<RunBridge::Lane> RunBridge::laneOf(const std::string& runId) {
  std::lock_guard lock(lanesMutex_);
  std::shared_ptr<Lane>& lane = lanes_[runId];
  if (!lane) lane = std::make_shared<Lane>(ringCapacity_);
  return lane;
}

/// Puts a new lane instead of the one that is there, and returns that.
std::shared_ptr<RunBridge::Lane> RunBridge::openLane(const std::string& runId) {
  auto fresh = std::make_shared<Lane>(ringCapacity_);
  std::lock_guard lock(lanesMutex_);
  return std::exchange(lanes_[runId], std::move(fresh));
}

void RunBridge::onEvent(const std::string& runId, const RunEvent& event) {
  if (events_.closed()) return;
  noteEvent(runId, event);
  std::shared_ptr<Lane> before;
  if (std::holds_alternative<RunStarted>(event)) before = openLane(runId);
  const std::shared_ptr<Lane> lane = laneOf(runId);
  // Woken before the push too: it may wait for space, and only a drain makes some.
  wake();
  wakeIfFilling();
  // A queue that closes meanwhile means that the window is closing and nothing listens.
  if (events_.push({runId, event, std::move(before), lane, lane->lastStep.load()})) wake();
}

void RunBridge::onStep(const std::string& runId, const StepPoint& point) {
  if (events_.closed()) return;
  const std::shared_ptr<Lane> lane = laneOf(runId);
  lane->ring.push(point);
  lane->lastStep.store(point.step);
  {
    std::lock_guard lock(statusMutex_);
    LatestStatus& latest = statuses_[runId];
    latest.status.step = point;
    latest.told = false;
  }
  wakeForStatus();
  wake();
}

/// Told before the event is queued: the queue may be full, and the status waits for no one.
void RunBridge::noteEvent(const std::string& runId, const RunEvent& event) {
  {
    std::lock_guard lock(statusMutex_);
    LatestStatus& latest = statuses_[runId];
    RunStatus& status = latest.status;
    const bool news = std::visit(
        Overloaded{
            [&](const RunStarted& e) { return status.started = e, true; },
            [&](const EpochEnded& e) { return status.epochEnded = e.summary, true; },
            [&](const StateChanged& e) { return status.state = e.state, true; },
            [&](const RunEnded& e) { return status.state = e.state, status.ended = e, true; },
            [](const auto&) { return false; },
        },
        event);
    if (!news) return;
    latest.told = false;
  }
  wakeForStatus();
}

void RunBridge::wakeForStatus() {
  if (statusPosted_.exchange(true)) return;
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (!statusTimer_.isActive()) statusTimer_.start();
      },
      Qt::QueuedConnection);
}

void RunBridge::tellStatuses() {
  statusTimer_.stop();
  // Before anything is taken: what comes from here on wakes us again.
  statusPosted_.store(false);
  std::vector<std::pair<std::string, RunStatus>> due;
  {
    std::lock_guard lock(statusMutex_);
    for (auto at = statuses_.begin(); at != statuses_.end();) {
      auto& [runId, latest] = *at;
      const bool over = latest.status.ended.has_value();
      if (!std::exchange(latest.told, true)) {
        due.emplace_back(runId, latest.status);
        latest.status.started.reset();
        latest.status.epochEnded.reset();
      }
      at = over ? statuses_.erase(at) : std::next(at);
    }
  }
  for (const auto& [runId, status] : due) emit statusChanged(QString::fromStdString(runId), status);
}

/// Posts to the event loop unless a post is under way, so a sleeping GUI thread collects one event.
void RunBridge::wake() {
  if (!wakePosted_.exchange(true))
    QMetaObject::invokeMethod(&timer_, &ReplotTimer::request, Qt::QueuedConnection);
}

/// A run must not wait for a listener that is slow: a queue that fills is emptied out of turn.
void RunBridge::wakeIfFilling() {
  if (2 * events_.size() >= eventCapacity_ && !drainPosted_.exchange(true))
    QMetaObject::invokeMethod(this, &RunBridge::drain, Qt::QueuedConnection);
}

void RunBridge::drain() {
  if (draining_) return timer_.request();
  QElapsedTimer clock;
  clock.start();
  timer_.cancel();
  tellStatuses();
  draining_ = true;
  drainOnce();
  draining_ = false;
  timer_.setCost(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
}

void RunBridge::drainOnce() {
  // Before anything is taken: what comes from here on wakes us again.
  wakePosted_.store(false);
  drainPosted_.store(false);
  std::vector<Entry> entries;
  // Events that a run adds meanwhile wait for the next time; a quick run would keep us here for ever.
  for (std::size_t waiting = events_.size(); waiting > 0; --waiting)
    if (auto entry = events_.pop(std::chrono::milliseconds(0)))
      entries.push_back(std::move(*entry));
  // Lanes are listed after the events are taken, so each holds all steps told before those events.
  std::vector<std::pair<std::string, std::shared_ptr<Lane>>> lanes;
  {
    std::lock_guard lock(lanesMutex_);
    lanes.assign(lanes_.begin(), lanes_.end());
  }
  for (Entry& entry : entries) {
    if (entry.before) emitSteps(entry.runId, *entry.before, kAllSteps);
    emitSteps(entry.runId, *entry.lane, entry.stepsBefore);
    emitEvent(QString::fromStdString(entry.runId), entry.event);
    if (!std::holds_alternative<RunEnded>(entry.event)) continue;
    std::lock_guard lock(lanesMutex_);
    const auto lane = lanes_.find(entry.runId);
    if (lane != lanes_.end() && lane->second == entry.lane) lanes_.erase(lane);
  }
  for (auto& [runId, lane] : lanes) emitSteps(runId, *lane, kAllSteps);
}

void RunBridge::emitSteps(const std::string& runId, Lane& lane, std::int64_t upTo) {
  StepBuckets arrived;
  lane.ring.drain(arrived);
  lane.pending.insert(lane.pending.end(), arrived.begin(), arrived.end());
  const auto end = std::find_if(lane.pending.begin(), lane.pending.end(),
                                [&](const StepBucket& bucket) { return bucket.firstStep > upTo; });
  if (end == lane.pending.begin()) return;
  const StepBuckets due(lane.pending.begin(), end);
  lane.pending.erase(lane.pending.begin(), end);
  emit stepsArrived(QString::fromStdString(runId), due);
}

void RunBridge::emitEvent(const QString& runId, const RunEvent& event) {
  std::visit(
      Overloaded{
          [&](const RunStarted& e) { emit runStarted(runId, e); },
          [&](const BaselinesMeasured& e) { emit baselinesMeasured(runId, e); },
          [&](const EpochEnded& e) { emit epochEnded(runId, e); },
          [&](const EpochMeasuredAgain& e) { emit epochMeasuredAgain(runId, e); },
          [&](const TimeSpent& e) { emit timeSpent(runId, e); },
          [&](const CheckpointWritten& e) { emit checkpointWritten(runId, e); },
          [&](const CheckpointRemoved& e) { emit checkpointRemoved(runId, e); },
          [&](const StateChanged& e) { emit stateChanged(runId, e.state); },
          [&](const RunWarning& e) { emit warning(runId, QString::fromStdString(e.message)); },
          [&](const RunNote& e) { emit noted(runId, QString::fromStdString(e.message)); },
          [&](const RunEnded& e) { emit runEnded(runId, e); },
      },
      event);
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/queue.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/step_ring.h"
#include "ui/bridge/pause.h"

namespace parapet::ui {

using StepBuckets = std::vector<experiment::StepBucket>;

/// The state of a run now: the newest of everything, whatever is still on its way to the curves.
struct RunStatus {
  experiment::RunState state = experiment::RunState::kQueued;
  experiment::StepPoint step;  ///< the newest; step 0 before the first
  // Since the status before; of several the newest.
  std::optional<experiment::RunStarted> started;
  std::optional<experiment::EpochSummary> epochEnded;
  std::optional<experiment::RunEnded> ended;  ///< nothing comes after it
};

/// Makes the values of the bridge's signals known to Qt by name; the bridge calls it itself.
void registerRunMetaTypes();

/// Carries events of runs from their threads to the GUI thread, as signals, on two paths.
///
/// The history is complete and in order. Lifecycle events wait in a bounded queue, and none is
/// dropped; steps go into a ring per run that merges when full, so a run never waits for paint. Both
/// are emptied on a timer that slows down when what listens is slow; at most one wake-up is under
/// way to the event loop, however many steps come. For each run the signals keep the order in which
/// things happened: the steps before an event come first. A ring bucket that was merged across an
/// event comes before it.
///
/// The status is the newest alone: one value per run, told every kStatusMs at most, never behind a
/// point. State and progress come from it, so that a run that has stopped says so at once,
/// whatever the history costs.
///
/// Life     the bridge must outlive every run that reports to it: destroy run handles (they join)
///          first.
///          Joining in the GUI thread while a run waits for space would hang: call close() before.
/// Thread   onEvent, onStep: any. Everything else: the thread the bridge lives in.
class RunBridge : public QObject, public experiment::RunSink {
  Q_OBJECT

 public:
  struct Capacity {
    std::size_t events = 1024;  ///< ≥ 1; a run makes a few per epoch
    std::size_t steps = 4096;   ///< ≥ 2, per run
  };
  /// Two statuses of a run are this far apart at least.
  static constexpr int kStatusMs = 40;

  explicit RunBridge(QObject* parent = nullptr) : RunBridge(Capacity(), parent) {}
  RunBridge(Capacity capacity, QObject* parent);
  ~RunBridge() override;

  void onEvent(const std::string& runId, const experiment::RunEvent& event) override;
  void onStep(const std::string& runId, const experiment::StepPoint& point) override;

  /// Takes nothing more and wakes runs that wait for space. For the way out; what is queued can
  /// still be had with drain().
  void close();
  /// Emits now what the timers would emit, the statuses first. Does nothing inside a slot of one of these signals: order
  /// would be lost (so slots open dialogs, they do not exec() them).
  void drain();
  /// Lifecycle events that wait.
  [[nodiscard]] std::size_t queued() const { return events_.size(); }

 signals:
  void runStarted(const QString& runId, const parapet::experiment::RunStarted& event);
  void baselinesMeasured(const QString& runId, const parapet::experiment::BaselinesMeasured& event);
  void epochEnded(const QString& runId, const parapet::experiment::EpochEnded& event);
  void epochMeasuredAgain(const QString& runId,
                          const parapet::experiment::EpochMeasuredAgain& event);
  void timeSpent(const QString& runId, const parapet::experiment::TimeSpent& event);
  void checkpointWritten(const QString& runId, const parapet::experiment::CheckpointWritten& event);
  void checkpointRemoved(const QString& runId, const parapet::experiment::CheckpointRemoved& event);
  void stateChanged(const QString& runId, parapet::experiment::RunState state);
  void warning(const QString& runId, const QString& message);
  /// Nobody need act on it.
  void noted(const QString& runId, const QString& message);
  void runEnded(const QString& runId, const parapet::experiment::RunEnded& event);
  void stepsArrived(const QString& runId, const parapet::ui::StepBuckets& buckets);
  /// Not in order with the others: what they tell of the run may be older.
  void statusChanged(const QString& runId, const parapet::ui::RunStatus& status);

 private:
  /// Steps of a run from one start to its end. A resumed run gets a new one, since its steps begin
  /// again from the checkpoint.
  struct Lane {
    explicit Lane(std::size_t capacity) : ring(capacity) {}
    experiment::StepRing ring;
    std::atomic<std::int64_t> lastStep{0};
    StepBuckets pending;  ///< drained, not emitted; GUI thread only
  };
  struct Entry {
    std::string runId;
    experiment::RunEvent event;
    std::shared_ptr<Lane> before;  ///< of an earlier start, if this event opens a new one
    std::shared_ptr<Lane> lane;
    std::int64_t stepsBefore;  ///< last step reported before the event
  };

  /// A status and whether it was told.
  struct LatestStatus {
    RunStatus status;
    bool told = true;
  };

  std::shared_ptr<Lane> laneOf(const std::string& runId);
  std::shared_ptr<Lane> openLane(const std::string& runId);
  void noteEvent(const std::string& runId, const experiment::RunEvent& event);
  void wakeForStatus();
  void tellStatuses();
  void drainOnce();
  void wake();
  void wakeIfFilling();
  void emitSteps(const std::string& runId, Lane& lane, std::int64_t upTo);
  void emitEvent(const QString& runId, const experiment::RunEvent& event);

  const std::size_t ringCapacity_, eventCapacity_;
  BoundedQueue<Entry> events_;
  std::mutex lanesMutex_;
  std::unordered_map<std::string, std::shared_ptr<Lane>> lanes_;
  std::mutex statusMutex_;
  std::map<std::string, LatestStatus> statuses_;  ///< of runs that have not ended
  std::atomic<bool> wakePosted_{false}, drainPosted_{false}, statusPosted_{false};
  bool draining_ = false;
  QTimer statusTimer_{this};
  ReplotTimer timer_{this};
};

}  // namespace parapet::ui

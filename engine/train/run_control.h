// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "engine/experiment/batch_report.h"
#include "engine/retrieval/model_snapshot.h"

namespace parapet::train {

/// Requests to a running trainer, which reads them at every step boundary.
///
/// Thread   every method from any thread; waiting happens only in the trainer.
class RunControl {
 public:
  using SnapshotReceiver = std::function<void(std::shared_ptr<const retrieval::ModelSnapshot>)>;

  using BatchReceiver = std::function<void(std::shared_ptr<const experiment::BatchReport>)>;

  /// How a run should end.
  enum class Ending {
    kNone,   ///< it should go on
    kStop,   ///< at the next boundary, with a checkpoint
    kAbort,  ///< at the next boundary, without
  };

  void pause();
  void resume();
  /// Lets one step pass, then pauses again; only while paused.
  void step();
  void stop();
  void abort();
  /// False if a snapshot is under way or the run has ended.
  bool requestSnapshot(SnapshotReceiver receiver);
  /// Sets who receives every batch that step() lets pass, on the trainer's thread.
  void watchBatches(BatchReceiver receiver);

  /// For the trainer: true while steps must wait.
  [[nodiscard]] bool mustWait();
  /// For the trainer: waits until something changes, at most a tenth of a second.
  void waitForChange();
  [[nodiscard]] Ending ending();
  /// For the trainer: takes the pending snapshot request, if any; snapshotDone() allows the next.
  [[nodiscard]] SnapshotReceiver takeSnapshotRequest();
  void snapshotDone();
  /// For the trainer: who wants a report of the batch that comes; null unless it was stepped to.
  [[nodiscard]] BatchReceiver batchReceiver();
  /// For the trainer: the run is over, nothing more is accepted.
  void close();
  /// Fires on stop and abort, for work between steps (import, validation, prefetch).
  [[nodiscard]] std::stop_token stopToken() const { return stopSource_.get_token(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool paused_ = false;
  int stepsAllowed_ = 0;
  Ending ending_ = Ending::kNone;
  bool closed_ = false, snapshotBusy_ = false;
  SnapshotReceiver snapshot_;
  BatchReceiver batches_;
  std::stop_source stopSource_;
};

}  // namespace parapet::train

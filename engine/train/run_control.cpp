// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_control.h"

#include <utility>

namespace parapet::train {

void RunControl::pause() {
  std::lock_guard lock(mutex_);
  paused_ = true;
  stepsAllowed_ = 0;
  changed_.notify_all();
}

void RunControl::resume() {
  std::lock_guard lock(mutex_);
  paused_ = false;
  changed_.notify_all();
}

void RunControl::step() {
  std::lock_guard lock(mutex_);
  if (paused_) ++stepsAllowed_;
  changed_.notify_all();
}

void RunControl::stop() {
  {
    std::lock_guard lock(mutex_);
    if (ending_ == Ending::kNone) ending_ = Ending::kStop;
    changed_.notify_all();
  }
  stopSource_.request_stop();
}

void RunControl::abort() {
  {
    std::lock_guard lock(mutex_);
    ending_ = Ending::kAbort;
    changed_.notify_all();
  }
  stopSource_.request_stop();
}

bool RunControl::requestSnapshot(SnapshotReceiver receiver) {
  std::lock_guard lock(mutex_);
  if (closed_ || snapshotBusy_) return false;
  snapshotBusy_ = true;
  snapshot_ = std::move(receiver);
  changed_.notify_all();
  return true;
}

void RunControl::watchBatches(BatchReceiver receiver) {
  std::lock_guard lock(mutex_);
  batches_ = std::move(receiver);
}

RunControl::BatchReceiver RunControl::batchReceiver() {
  std::lock_guard lock(mutex_);
  // Steps pass one by one only while paused.
  return paused_ ? batches_ : nullptr;
}

bool RunControl::mustWait() {
  std::lock_guard lock(mutex_);
  if (!paused_ || ending_ != Ending::kNone) return false;
  if (stepsAllowed_ == 0) return true;
  --stepsAllowed_;
  return false;
}

void RunControl::waitForChange() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(100));
}

RunControl::Ending RunControl::ending() {
  std::lock_guard lock(mutex_);
  return ending_;
}

RunControl::SnapshotReceiver RunControl::takeSnapshotRequest() {
  std::lock_guard lock(mutex_);
  return std::exchange(snapshot_, nullptr);
}

void RunControl::snapshotDone() {
  std::lock_guard lock(mutex_);
  snapshotBusy_ = false;
}

void RunControl::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
  snapshot_ = nullptr;
  batches_ = nullptr;
}

}  // namespace parapet::train

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/pause_gate.h"

namespace parapet::ui {

WorkContext PauseGate::through(const WorkContext& context) {
  const auto report = [this, context](std::string_view stage, std::int64_t done,
                                      std::int64_t total) {
    context.report(stage, done, total);
    std::unique_lock lock(mutex_);
    ++waiting_;
    opened_.wait(lock, context.stop, [this] { return !paused_; });
    --waiting_;
  };
  return {report, context.stop};
}

void PauseGate::setPaused(bool paused) {
  {
    std::lock_guard lock(mutex_);
    paused_ = paused;
  }
  opened_.notify_all();
}

int PauseGate::waiting() const {
  std::lock_guard lock(mutex_);
  return waiting_;
}

bool PauseGate::paused() const {
  std::lock_guard lock(mutex_);
  return paused_;
}

}  // namespace parapet::ui

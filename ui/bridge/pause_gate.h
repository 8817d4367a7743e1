// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <mutex>

#include "engine/base/progress.h"

namespace parapet::ui {

/// Blocks work where it reports its progress. The work needs to know nothing of it.
///
/// Thread   any; outlives the work.
class PauseGate {
 public:
  /// `context` with a progress function that waits while the gate is closed. A stop request opens
  /// it for that work.
  WorkContext through(const WorkContext& context);
  void setPaused(bool paused);
  [[nodiscard]] bool paused() const;
  /// How much work waits at the gate.
  [[nodiscard]] int waiting() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any opened_;
  bool paused_ = false;
  int waiting_ = 0;
};

}  // namespace parapet::ui

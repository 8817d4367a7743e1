// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <condition_variable>
#include <mutex>

#include "engine/base/progress.h"

namespace parapet::ui {

/// Makes a timer call a slot once, `pauseMs` after its last start(): what changes often is followed
/// when it rests.
template <class Receiver, class Slot>
void callAfterPause(QTimer& timer, int pauseMs, Receiver* receiver, Slot slot) {
  timer.setSingleShot(true);
  timer.setInterval(pauseMs);
  QObject::connect(&timer, &QTimer::timeout, receiver, slot);
}

/// Turns many requests into few refreshes. A request starts the timer only if it is idle; the wait
/// is max(40 ms, 50 × the cost of the last refresh), so refreshing takes at most 2 % of a core: live
/// plots slow down before they take time from training.
class ReplotTimer : public QObject {
  Q_OBJECT

 public:
  static constexpr int kMinMs = 40;

  explicit ReplotTimer(QObject* parent = nullptr);

  void request();
  /// Does not wait: for what a person asked for and looks at.
  void requestNow() { timer_.start(0); }
  void cancel() { timer_.stop(); }
  /// The duration of the last refresh, in milliseconds; negative and non-finite values count as 0.
  void setCost(double milliseconds);
  [[nodiscard]] int intervalMs() const { return intervalMs_; }
  [[nodiscard]] bool pending() const { return timer_.isActive(); }

 signals:
  void due();

 private:
  QTimer timer_;
  int intervalMs_ = kMinMs;
};

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

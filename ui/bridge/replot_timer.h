// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

namespace parapet::ui {

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
  /// What the last refresh took, in milliseconds; negative and non-finite values count as 0.
  void setCost(double milliseconds);
  [[nodiscard]] int intervalMs() const { return intervalMs_; }
  [[nodiscard]] bool pending() const { return timer_.isActive(); }

 signals:
  void due();

 private:
  QTimer timer_;
  int intervalMs_ = kMinMs;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

#include "engine/base/clock.h"
#include "ui/bridge/run_controller.h"

namespace parapet::ui {

/// The load of this process on the machine, from /proc/self.
class ProcessLoad {
 public:
  struct Sample {
    double cores = -1.0;              ///< busy cores since the last sample; −1: not known yet
    std::uint64_t residentBytes = 0;  ///< 0: unknown
  };
  Sample sample();

 private:
  Stopwatch since_;
  double lastCpuSeconds_ = -1.0;
};

/// State of the run, and what this process takes of the machine.
class StatusView : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusView(RunController& runs, QWidget* parent = nullptr);
  /// Work beside the runs, on whatever page it was begun, with a button that ends it; "" for none.
  void showWork(const QString& text);

 signals:
  void workStopRequested();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void updateRun();
  void updateLoad();

  RunController& runs_;
  ProcessLoad load_;
  QTimer timer_;
  QLabel* dot_;
  QLabel* run_;
  QLabel* work_;
  QToolButton* stopWork_;
  QLabel* cores_;
  QLabel* memory_;
};

}  // namespace parapet::ui

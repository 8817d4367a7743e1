// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStatusBar>
#include <QTimer>

#include "ui/bridge/process_load.h"
#include "ui/bridge/run_controller.h"

namespace parapet::ui {

/// State of the run, and what this process takes of the machine.
class StatusView : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusView(RunController& runs, QWidget* parent = nullptr);

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
  QLabel* cores_;
  QLabel* memory_;
};

}  // namespace parapet::ui

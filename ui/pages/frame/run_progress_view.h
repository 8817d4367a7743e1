// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTimer>
#include <QWidget>

#include "ui/bridge/run_controller.h"
#include "ui/style/thin_progress_bar.h"

namespace parapet::ui {

/// How far the run is: stage, a bar, and when it will probably end.
class RunProgressView : public QWidget {
  Q_OBJECT

 public:
  explicit RunProgressView(RunController& runs, QWidget* parent = nullptr);
  /// "2 min 10 s – 2 min 40 s left"; "" if not known.
  static QString etaText(double lowSeconds, double highSeconds);

 private:
  void update();
  void showEnd(const QString& runId, experiment::RunState state, const QString& error);

  RunController& runs_;
  QTimer refresh_;
  QLabel* stage_;
  ThinProgressBar* bar_;
  QLabel* eta_;
};

}  // namespace parapet::ui

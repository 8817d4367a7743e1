// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QTableView>

#include "ui/models/log_model.h"

namespace parapet::ui {

/// Messages of the program and its runs: time, level, text; filtered and copied.
class LogDock : public QDockWidget {
  Q_OBJECT

 public:
  explicit LogDock(LogModel& model, QWidget* parent = nullptr);
  /// Copy and clear, for the command palette.
  [[nodiscard]] QList<QAction*> logActions() const { return {copy_, clear_}; }

 private:
  QWidget* makeControls();
  void followEnd();

  LogModel& model_;
  LogFilterModel shown_;
  QTableView* table_;
  QAction* copy_;
  QAction* clear_;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QTableView>

#include "ui/models/log_model.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// Messages of the program and its runs: time, level, text; filtered and copied.
class LogPage : public Page {
  Q_OBJECT

 public:
  explicit LogPage(LogModel& model, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Log"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("log"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] QList<QAction*> pageActions() const override { return {copy_, clear_}; }

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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>

#include "ui/models/experiment_editor.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_table_model.h"

namespace parapet::ui {

/// The learning rate of every optimizer over the steps of the run, drawn and as a table.
class RatePanel : public QWidget {
  Q_OBJECT

 public:
  explicit RatePanel(ExperimentEditor& editor, QWidget* parent = nullptr);
  [[nodiscard]] CurvePlot& plot() const { return *plot_; }
  [[nodiscard]] CurveTableModel& table() { return table_; }
  /// Which steps are shown.
  [[nodiscard]] QString span() const { return span_->text(); }

 private:
  void follow();

  ExperimentEditor& editor_;
  CurveTableModel table_;
  CurvePlot* plot_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  QLabel* span_;
  QTimer pause_;
};

}  // namespace parapet::ui

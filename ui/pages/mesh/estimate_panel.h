// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>
#include <QTimer>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/bridge/run_controller.h"
#include "ui/controllers/plan_watch.h"
#include "ui/models/mesh_report.h"

namespace parapet::ui {

/// What a step was to take, by the plan, beside what it took in the last run of this experiment.
class EstimatePanel : public QWidget {
  Q_OBJECT

 public:
  EstimatePanel(workspace::Workspace& workspace, PlanWatch& watch, RunController& runs,
                ExperimentEditor& editor, QWidget* parent = nullptr);
  [[nodiscard]] const ReportTableModel& rows() const { return *rows_; }

 private:
  void ask();
  void follow();

  workspace::Workspace& workspace_;
  PlanWatch& watch_;
  ExperimentEditor& editor_;
  ReportTableModel* rows_;
  QTableView* view_;
  QLabel* source_;
  std::optional<MeasuredStep> measured_;
  QString failure_;
  QTimer pause_;
  Background background_{"measured"};
};

}  // namespace parapet::ui

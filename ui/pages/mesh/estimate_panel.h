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
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// The ranks of the mesh with their share of a batch, and what each memory space holds.
class MemoryPanel : public QWidget {
  Q_OBJECT

 public:
  enum RankColumn { kRank, kDevice, kMemory, kCoordinates, kRows, kBuffers };
  explicit MemoryPanel(PreflightWatch& preflight, QWidget* parent = nullptr);

  [[nodiscard]] const ReportTableModel& ranks() const { return *ranks_; }
  [[nodiscard]] const ReportTableModel& memory() const { return *memory_; }

 private:
  void follow();

  PreflightWatch& preflight_;
  ReportTableModel *ranks_, *memory_;
  QTableView *ranksView_, *memoryView_;
  QWidget *ranksTitle_, *memoryTitle_;
  QLabel *shares_, *total_;
};

/// The planned time of a step beside the measured one in the last run of this experiment.
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

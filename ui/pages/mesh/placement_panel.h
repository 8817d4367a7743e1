// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QTableView>

#include "ui/controllers/plan_watch.h"
#include "ui/forms/field.h"
#include "ui/models/mesh_report.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// Placement of one table: a choice of all placements, the reason of the plan, and what else was
/// considered.
class PlacementPanel : public QWidget {
  Q_OBJECT

 public:
  PlacementPanel(PlanWatch& watch, ExperimentEditor& editor, QWidget* parent = nullptr);
  void showTable(int table);
  [[nodiscard]] QComboBox& tables() const { return *tables_; }
  [[nodiscard]] QComboBox& placements() const { return *placements_; }
  [[nodiscard]] const ReportTableModel& candidates() const { return *candidates_; }
  /// All placements of a table, to choose one.
  void fillMenu(QMenu& menu, int table);

 signals:
  void tableChosen(int table);

 private:
  void follow();
  void followPlan(int table);

  PlanWatch& watch_;
  ExperimentEditor& editor_;
  QComboBox *tables_, *placements_;
  FindingsLabel* findings_;
  QLabel* reason_;
  ReportTableModel* candidates_;
  QTableView* view_;
  std::vector<PlacementChoice> choices_;
};

}  // namespace parapet::ui

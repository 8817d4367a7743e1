// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>
#include <QWidget>

#include "ui/models/problems_model.h"

namespace parapet::ui {

/// All findings in one list at the bottom; one line while there are none. A click, or
/// Enter, shows the field.
class ProblemsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ProblemsPanel(ExperimentEditor& editor, QWidget* parent = nullptr);
  [[nodiscard]] QTableView& view() const { return *view_; }

 signals:
  void jumpRequested(const QString& pointer);
  /// A fix that asks: for data, or for a label.
  void questionRequested(experiment::FixKind kind);

 private:
  void follow();
  void addButtons();

  ExperimentEditor& editor_;
  ProblemsModel* model_;
  QLabel* icon_;
  QLabel* summary_;
  QTableView* view_;
};

/// "2 problems, 1 warning"; "No problems" if there is nothing.
QString findingsSummary(const experiment::Findings& findings);

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/forms/problem_list.h"

namespace parapet::ui {

/// All findings in one list at the bottom; one line while there are none.
class ProblemsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ProblemsPanel(ExperimentEditor& editor, QWidget* parent = nullptr);
  [[nodiscard]] ProblemList& list() const { return *list_; }

 signals:
  /// The list had the focus, and goes: its last problem was fixed.
  void focusLeft();

 private:
  void follow();

  ExperimentEditor& editor_;
  QLabel* icon_;
  QLabel* summary_;
  ProblemList* list_;
};

/// "2 problems, 1 warning"; "No problems" if there is nothing.
QString findingsSummary(const experiment::Findings& findings);

}  // namespace parapet::ui

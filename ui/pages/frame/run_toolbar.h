// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolBar>
#include <QToolButton>

#include "engine/experiment/fixes.h"
#include "ui/pages/frame/experiment_picker.h"
#include "ui/pages/frame/run_commands.h"

namespace parapet::ui {

/// Above every page: which experiment, run / pause / step / stop, what keeps it from running, how
/// far it is.
class RunToolbar : public QToolBar {
  Q_OBJECT

 public:
  RunToolbar(RunController& runs, ExperimentEditor& editor, WorkspaceExperiments& experiments,
             RunCommands& actions, QWidget* parent = nullptr);
  [[nodiscard]] ExperimentPicker* picker() const { return picker_; }
  /// Opens the list of problems; enabled while there are any.
  [[nodiscard]] QAction* problemsAction() const { return problems_; }

 signals:
  void problemChosen(const QString& pointer);
  /// A fix that asks: for data, or for a label.
  void questionRequested(experiment::FixKind kind);

 private:
  void addButton(QAction* action, Qt::ToolButtonStyle style);
  void showProblems();
  void updateProblems();

  ExperimentEditor& editor_;
  ExperimentPicker* picker_;
  QAction* problems_;
  QToolButton* problemsButton_;
  QAction* problemsPlace_;
};

}  // namespace parapet::ui

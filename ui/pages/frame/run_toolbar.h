// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolBar>
#include <QToolButton>

#include "ui/dialogs/problems_popup.h"
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

 private:
  void addButton(QAction* action, Qt::ToolButtonStyle style);
  void updateProblems();

  ExperimentEditor& editor_;
  ExperimentPicker* picker_;
  QAction* problems_;
  QToolButton* problemsButton_;
  QAction* problemsPlace_;
  ProblemsPopup* popup_;
};

}  // namespace parapet::ui

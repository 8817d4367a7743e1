// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QObject>
#include <QToolBar>
#include <QToolButton>

#include "engine/experiment/fixes.h"
#include "ui/bridge/run_controller.h"
#include "ui/bridge/run_queue.h"
#include "ui/models/experiment_editor.h"
#include "ui/pages/frame/experiment_picker.h"

namespace parapet::ui {

/// Run, pause, step, stop: what can be done now is enabled, and what cannot says why. While a run of
/// this window trains, Run queues; while none does, pause and stop ask the process of another's.
class RunCommands : public QObject {
  Q_OBJECT

 public:
  RunCommands(const workspace::Workspace& workspace, RunController& runs, ExperimentEditor& editor,
              QObject* parent);

  [[nodiscard]] QAction* run() const { return run_; }
  [[nodiscard]] QAction* pause() const { return pause_; }
  [[nodiscard]] QAction* step() const { return step_; }
  [[nodiscard]] QAction* stop() const { return stop_; }
  /// Puts the experiment at the end of the queue, whatever trains.
  [[nodiscard]] QAction* queue() const { return queue_; }
  [[nodiscard]] QList<QAction*> all() const { return {run_, queue_, goOn_, pause_, step_, stop_}; }

 signals:
  /// Run was pressed, and the experiment trains now; not if it was queued.
  void runStarted();

 private:
  void update();
  void updateRun();
  void updateElsewhere(const store::RunRecord& run);
  void addToQueue();
  [[nodiscard]] QString whyNot() const;
  QAction* make(const QString& icon, const QString& text, const QString& keys, const QString& name);

  RunController& runs_;
  ExperimentEditor& editor_;
  const QString cannotTrain_;  ///< why nothing can be trained in this workspace; "" where it can
  QAction* run_;
  QAction* queue_;
  QAction* goOn_;
  QAction* pause_;
  QAction* step_;
  QAction* stop_;
  bool stopping_ = false;
};

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
  /// Shows the runs that wait.
  void queueRequested();

 private:
  void addButton(QAction* action, Qt::ToolButtonStyle style);
  void showProblems();
  void updateProblems();
  void updateQueue();

  RunQueue& queue_;
  ExperimentEditor& editor_;
  ExperimentPicker* picker_;
  QAction* problems_;
  QToolButton* problemsButton_;
  QAction* problemsPlace_;
  QToolButton* queued_;
  QAction* queuedPlace_;
};

}  // namespace parapet::ui

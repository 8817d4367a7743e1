// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <optional>

#include "engine/workspace/plan.h"
#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Asks the workspace what a run would need after every change of a document that has no problem,
/// off the GUI thread, and reports the findings to the editor.
class PreflightWatch : public QObject {
  Q_OBJECT

 public:
  PreflightWatch(workspace::Workspace& workspace, ExperimentEditor& editor,
                 QObject* parent = nullptr);
  /// Asks again: the data or the devices may have changed.
  void refresh();
  /// The newest answer; empty while the document has problems.
  [[nodiscard]] const workspace::Preflight& latest() const { return latest_; }

 signals:
  void changed();

 private:
  void ask();
  void take(workspace::Preflight answer);
  /// A warning of the preflight keeps the window from running.
  void liftWarning(const std::string& pointer);

  workspace::Workspace& workspace_;
  ExperimentEditor& editor_;
  QTimer pause_;
  workspace::Preflight latest_;
  Background background_;
};

/// Plans the experiment off the GUI thread while somebody looks: at once, and again after every
/// change of a document that has no problem of its own; after a cancel, when it is asked to.
class PlanWatch : public QObject {
  Q_OBJECT

 public:
  PlanWatch(workspace::Workspace& workspace, ExperimentEditor& editor, QObject* parent = nullptr);

  /// Whether the plan is looked at.
  void setActive(bool active);
  /// Nothing happens while the document alone shows that it cannot be planned.
  void start();
  /// Imports the data first, as a run would; the next run finds them.
  void importAndPlan();
  void cancel();
  [[nodiscard]] bool running() const { return background_.running(); }
  [[nodiscard]] bool canStart() const { return plannable_; }
  /// Whether changes are planned by themselves; not after a cancel.
  [[nodiscard]] bool followsDocument() const { return wanted_; }
  /// The newest plan; nothing before the first, and after another experiment was opened.
  [[nodiscard]] const std::optional<workspace::PlanReport>& report() const { return report_; }
  /// The plan itself; null while there is none, be it for a problem.
  [[nodiscard]] const mesh::ShardingPlan* plan() const;
  /// The experiment that was planned.
  [[nodiscard]] const experiment::Experiment& planned() const { return planned_; }
  /// The document is still the one that was planned.
  [[nodiscard]] bool isCurrent() const;

 signals:
  /// The data were imported for the plan: sizes are known from now on.
  void imported();
  /// How far the import and the plan are; `total` 0: unknown.
  void progressed(const QString& stage, qint64 done, qint64 total);
  /// Another plan, or another document.
  void changed();
  void runningChanged(bool running);

 private:
  void follow();
  void forget();
  void launch(workspace::PlanOptions::Data data);

  workspace::Workspace& workspace_;
  ExperimentEditor& editor_;
  QTimer pause_;
  bool plannable_ = false;
  bool active_ = false;
  bool wanted_ = false;     ///< the plan follows the document
  bool importing_ = false;  ///< an edit meanwhile does not throw away what was read
  std::optional<workspace::PlanReport> report_;
  experiment::Experiment planned_;
  nlohmann::ordered_json plannedDocument_;
  Background background_{"plan"};
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

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

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QObject>

#include "ui/bridge/run_controller.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Run, pause, step, stop: what can be done now is enabled, and what cannot says why.
class RunCommands : public QObject {
  Q_OBJECT

 public:
  RunCommands(RunController& runs, ExperimentEditor& editor, QObject* parent);

  [[nodiscard]] QAction* run() const { return run_; }
  [[nodiscard]] QAction* pause() const { return pause_; }
  [[nodiscard]] QAction* step() const { return step_; }
  [[nodiscard]] QAction* stop() const { return stop_; }
  [[nodiscard]] QList<QAction*> all() const { return {run_, pause_, step_, stop_}; }

 private:
  void update();
  [[nodiscard]] QString whyNot() const;
  QAction* make(const QString& icon, const QString& text, const QString& keys, const QString& name);

  RunController& runs_;
  ExperimentEditor& editor_;
  QAction* run_;
  QAction* pause_;
  QAction* step_;
  QAction* stop_;
  bool stopping_ = false;
};

}  // namespace parapet::ui

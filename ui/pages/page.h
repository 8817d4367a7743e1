// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <algorithm>

#include "engine/workspace/workspace.h"
#include "ui/bridge/run_bridge.h"
#include "ui/bridge/run_controller.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// The objects that every page works on; made by the application and handed down. Outlives the pages.
struct Workbench {
  workspace::Workspace& workspace;
  RunBridge& bridge;
  RunController& runs;
  ExperimentEditor& editor;
};

/// A page of the window. It holds no run state: models and controllers do.
class Page : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  /// Shown in the page bar, e.g. tr("Train").
  [[nodiscard]] virtual QString title() const = 0;
  /// File name in resources/icons without ".svg", e.g. "train".
  [[nodiscard]] virtual QString iconName() const = 0;
  /// The terminal command that does what the page shows now, e.g. "parapet-cli show latest".
  [[nodiscard]] virtual QString terminalCommand() const = 0;
  /// Actions for the command palette and the page's menu; texts are sentences ("Export the curves…").
  [[nodiscard]] virtual QList<QAction*> pageActions() const { return pageActions_; }
  /// The state that the page must remember over a restart (selected users, splitters), and how it
  /// comes back.
  [[nodiscard]] virtual nlohmann::json saveState() const { return nlohmann::json::object(); }
  virtual void restoreState(const nlohmann::json&) {}
  /// Shows a part of the page: "data" when "experiment/data" was requested.
  virtual void showPart(const QString&) {}

 signals:
  /// "train", "browse", "experiment/data", …: asks the window to show that page, or a part of it.
  void pageRequested(const QString& name);
  /// Asks Browse to open a run (runId) and, if not empty, a user.
  void browseRequested(const QString& runId, const QString& user);
  /// Asks Train to show a run.
  void showRunRequested(const QString& runId);
  /// News, which fade.
  void messageRequested(const QString& text);
  /// Something failed: it is said until it is closed.
  void complained(const QString& text);

 protected:
  /// Adds an action to those of the page; its keys work while the page has the focus.
  template <class Run>
  void offer(const QString& text, const QKeySequence& keys, const Run& run) {
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(action, &QAction::triggered, this, run);
    addAction(action);
    pageActions_ << action;
  }
  QList<QAction*> pageActions_;
};

/// A step of the experiment: it edits a part of the document, and the page Experiment hosts it.
class StepPage : public Page {
  Q_OBJECT

 public:
  using Page::Page;
  /// Pointers that are edited here, with all that lies below them.
  [[nodiscard]] virtual QStringList prefixes() const = 0;
  /// Puts the focus where a field is edited, as near as there is a widget for it; false if it is
  /// not here.
  virtual bool reveal(const QString& pointer) = 0;

 signals:
  /// A field that is edited elsewhere.
  void pointerChosen(const QString& pointer);
};

}  // namespace parapet::ui

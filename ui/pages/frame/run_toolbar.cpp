// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/frame/run_toolbar.h"

#include "ui/dialogs/problems_popup.h"
#include "ui/pages/frame/run_progress_view.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {

RunToolbar::RunToolbar(RunController& runs, ExperimentEditor& editor,
                       WorkspaceExperiments& experiments, RunCommands& actions, QWidget* parent)
    : QToolBar(tr("Run"), parent),
      editor_(editor),
      picker_(new ExperimentPicker(editor, experiments)),
      problems_(new QAction(lineIcon(QStringLiteral("warning")),
                            tr("Show the problems of the experiment"), this)),
      problemsButton_(new QToolButton),
      problemsPlace_(nullptr) {
  setObjectName(QStringLiteral("runToolbar"));
  setMovable(false);
  setFloatable(false);
  setIconSize({18, 18});
  setContextMenuPolicy(Qt::PreventContextMenu);
  addWidget(picker_);
  addSeparator();
  addButton(actions.run(), Qt::ToolButtonTextBesideIcon);
  addButton(actions.pause(), Qt::ToolButtonIconOnly);
  addButton(actions.step(), Qt::ToolButtonIconOnly);
  addButton(actions.stop(), Qt::ToolButtonIconOnly);
  problems_->setObjectName(QStringLiteral("run.problems"));
  problemsButton_->setObjectName(QStringLiteral("problemsButton"));
  problemsButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  problemsButton_->setAutoRaise(true);
  problemsButton_->setIcon(problems_->icon());
  problemsPlace_ = addWidget(problemsButton_);
  addSeparator();
  addWidget(new RunProgressView(runs));
  connect(problemsButton_, &QToolButton::clicked, problems_, &QAction::trigger);
  connect(problems_, &QAction::triggered, this, &RunToolbar::showProblems);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &RunToolbar::updateProblems);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &RunToolbar::updateProblems);
  updateProblems();
}

void RunToolbar::addButton(QAction* action, Qt::ToolButtonStyle style) {
  addAction(action);
  auto* button = qobject_cast<QToolButton*>(widgetForAction(action));
  button->setToolButtonStyle(style);
  button->setObjectName(action->objectName() + QStringLiteral(".button"));
  const auto name = [button, action] {
    button->setAccessibleName(action->text().remove(QLatin1Char('&')));
  };
  name();
  connect(action, &QAction::changed, button, name);
}

void RunToolbar::showProblems() {
  auto* popup = new ProblemsPopup(editor_, problemsButton_);
  connect(popup, &ProblemsPopup::problemChosen, this, &RunToolbar::problemChosen);
  connect(popup, &ProblemsPopup::questionRequested, this, &RunToolbar::questionRequested);
}

void RunToolbar::updateProblems() {
  const auto count = static_cast<int>(editor_.findings().problems.size());
  problemsPlace_->setVisible(count > 0);
  problems_->setEnabled(count > 0);
  if (count == 1) problemsButton_->setText(tr("1 problem"));
  if (count > 1) problemsButton_->setText(tr("%1 problems").arg(count));
  problemsButton_->setAccessibleName(problemsButton_->text());
  problemsButton_->setToolTip(
      tr("Problems that keep the experiment from running; a click lists them"));
}

}  // namespace parapet::ui

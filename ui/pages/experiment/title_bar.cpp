// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/title_bar.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "ui/forms/field.h"
#include "ui/forms/problems_panel.h"
#include "ui/models/severity.h"

namespace parapet::ui {

TitleBar::TitleBar(ExperimentEditor& editor, const QList<QAction*>& actions, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      origin_(new QLabel(this)),
      modified_(new QLabel(this)),
      icon_(new QLabel(this)),
      problems_(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(16, 8, 16, 8);
  layout->setSpacing(8);
  auto* label = new QLabel(tr("Name"), this);
  auto* name = new Field(editor, "/name", tr("Name"), this);
  name->editWidget()->setMinimumWidth(208);
  label->setBuddy(name->editWidget());
  layout->addWidget(label);
  layout->addWidget(name);
  origin_->setForegroundRole(QPalette::PlaceholderText);
  modified_->setToolTip(tr("Some changes are not saved to a file."));
  for (QWidget* part : {static_cast<QWidget*>(origin_), static_cast<QWidget*>(modified_)})
    layout->addWidget(part);
  layout->addStretch(1);
  layout->addWidget(icon_);
  layout->addWidget(problems_);
  layout->addSpacing(8);
  for (QAction* action : actions) {
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setText(action->iconText());
    button->setAccessibleName(action->text());
    layout->addWidget(button);
  }
  connect(&editor_, &ExperimentEditor::documentChanged, this, &TitleBar::follow);
  connect(&editor_, &ExperimentEditor::findingsChanged, this, &TitleBar::follow);
  connect(&editor_.undoStack(), &QUndoStack::cleanChanged, this, &TitleBar::follow);
  follow();
}

void TitleBar::follow() {
  origin_->setText(editor_.origin().isEmpty() ? QString() : tr("from %1").arg(editor_.origin()));
  modified_->setText(editor_.modified() ? tr("· modified") : QString());
  const Severity severity = severityOf(editor_.findings());
  icon_->setPixmap(severityIcon(palette(), severity).pixmap(16, 16));
  icon_->setVisible(severity != Severity::kNone);
  problems_->setText(findingsSummary(editor_.findings()));
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/title_bar.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "ui/forms/field.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

TitleBar::TitleBar(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent), editor_(editor), origin_(new QLabel(this)), tools_(new QHBoxLayout) {
  auto* layout = horizontalBox(this, 8, {16, 8, 16, 8});
  auto* label = new QLabel(tr("Name"), this);
  auto* name = new Field(editor, "/name", tr("Name"), this);
  name->editWidget()->setMinimumWidth(208);
  label->setBuddy(name->editWidget());
  layout->addWidget(label);
  layout->addWidget(name);
  origin_->setForegroundRole(QPalette::PlaceholderText);
  layout->addWidget(origin_);
  layout->addStretch(1);
  tools_->setSpacing(4);
  layout->addLayout(tools_);
  connect(&editor_, &ExperimentEditor::documentChanged, this, &TitleBar::follow);
  connect(&editor_, &ExperimentEditor::experimentChanged, this, &TitleBar::follow);
  follow();
}

void TitleBar::follow() {
  origin_->setText(editor_.origin().isEmpty() ? QString() : tr("from %1").arg(editor_.origin()));
  origin_->setToolTip(editor_.experimentId().isEmpty()
                          ? tr("What the document was made from")
                          : tr("What the document was made from. Every edit is saved in the "
                               "workspace, and Undo takes it back."));
}

void TitleBar::addTool(QAction* action, Qt::ToolButtonStyle style) {
  auto* button = new QToolButton(this);
  button->setDefaultAction(action);
  button->setAutoRaise(true);
  button->setToolButtonStyle(style);
  const auto follow = [button, action] {
    button->setText(action->iconText());
    button->setAccessibleName(action->text());
  };
  follow();
  connect(action, &QAction::changed, button, follow);
  tools_->addWidget(button);
}

}  // namespace parapet::ui

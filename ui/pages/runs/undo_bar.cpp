// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/undo_bar.h"

#include "ui/bridge/pause.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

UndoBar::UndoBar(QWidget* parent)
    : QWidget(parent), text_(new QLabel(this)), undo_(new QPushButton(tr("Undo"), this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  undo_->setObjectName(QStringLiteral("undo"));
  undo_->setAccessibleName(tr("Bring the runs back"));
  undo_->setToolTip(tr("Bring the runs back from the trash"));
  auto* row = horizontalBox(this, 8, {8, 4, 8, 4});
  row->addWidget(text_, 1);
  row->addWidget(undo_);
  callAfterPause(timer_, kShownMs, this, &QWidget::hide);
  connect(undo_, &QPushButton::clicked, this, &UndoBar::undo);
  hide();
}

void UndoBar::offer(const QString& text, const QStringList& runIds) {
  runIds_ = runIds;
  text_->setText(text);
  show();
  timer_.start();
}

void UndoBar::undo() {
  hide();
  emit undoRequested(std::exchange(runIds_, {}));
}

}  // namespace parapet::ui

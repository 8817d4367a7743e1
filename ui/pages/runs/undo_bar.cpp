// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/undo_bar.h"

#include <QHBoxLayout>

namespace parapet::ui {

UndoBar::UndoBar(QWidget* parent)
    : QWidget(parent), text_(new QLabel(this)), undo_(new QPushButton(tr("Undo"), this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::AlternateBase);
  undo_->setObjectName(QStringLiteral("undo"));
  undo_->setAccessibleName(tr("Bring the runs back"));
  undo_->setToolTip(tr("Bring the runs back from the trash"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(8);
  row->addWidget(text_, 1);
  row->addWidget(undo_);
  timer_.setSingleShot(true);
  timer_.setInterval(kShownMs);
  connect(&timer_, &QTimer::timeout, this, &QWidget::hide);
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

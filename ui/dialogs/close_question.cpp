// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/close_question.h"

#include <QDialogButtonBox>

#include "ui/bridge/shown_text.h"
#include "ui/style/layouts.h"

namespace parapet::ui {

CloseQuestion::CloseQuestion(QWidget* parent)
    : QDialog(parent),
      text_(new QLabel),
      quit_(new QPushButton(tr("&Stop and quit"))),
      cancel_(new QPushButton(tr("Keep &training"))) {
  setObjectName(QStringLiteral("closeQuestion"));
  setWindowTitle(tr("A run is under way"));
  setWindowModality(Qt::WindowModal);
  text_->setWordWrap(true);
  text_->setMinimumWidth(380);
  quit_->setDefault(true);
  quit_->setToolTip(
      tr("Stops at the next step and closes the window; one that has trained no step yet begins "
         "anew when it is resumed"));
  quit_->setAccessibleName(tr("Stop and quit"));
  cancel_->setToolTip(tr("Leaves the window open and the run as it is"));
  cancel_->setAccessibleName(tr("Keep training"));
  auto* buttons = new QDialogButtonBox;
  buttons->addButton(quit_, QDialogButtonBox::AcceptRole);
  buttons->addButton(cancel_, QDialogButtonBox::RejectRole);
  auto* layout = verticalBox(this, 16, {24, 24, 24, 16});
  layout->addWidget(text_);
  layout->addWidget(buttons);
  connect(quit_, &QPushButton::clicked, this, [this] {
    showStopping();
    emit quitChosen();
  });
  connect(cancel_, &QPushButton::clicked, this, &QDialog::reject);
}

void CloseQuestion::ask(const QString& experimentName) {
  text_->setText(tr("“%1” is being trained. Stop it at the next step and quit? A run that has "
                    "trained a step keeps a checkpoint and can be resumed.")
                     .arg(shownText(experimentName)));
  quit_->setEnabled(true);
  cancel_->setEnabled(true);
  open();
  quit_->setFocus();
}

void CloseQuestion::showStopping() {
  text_->setText(tr("Stopping at the next step…"));
  quit_->setEnabled(false);
  cancel_->setEnabled(false);
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/message_panel.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/bridge/shown_text.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

MessagePanel::MessagePanel(QWidget* parent) : QWidget(parent) {
  title_ = new QLabel(this);
  text_ = new QLabel(this);
  QFont large = title_->font();
  large.setPointSizeF(large.pointSizeF() * 1.4);
  large.setBold(true);
  title_->setFont(large);
  for (QLabel* label : {title_, text_}) {
    label->setAlignment(Qt::AlignCenter);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  text_->setTextFormat(Qt::PlainText);
  text_->setMaximumWidth(560);
  text_->setMinimumWidth(120);
  buttons_ = verticalBox(nullptr, 8);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(16);
  layout->addStretch(2);
  layout->addWidget(title_);
  auto* line = new QHBoxLayout;
  line->addStretch(1);
  line->addWidget(text_, 100);
  line->addStretch(1);
  layout->addLayout(line);
  layout->addLayout(buttons_);
  layout->addStretch(3);
}

void MessagePanel::setMessage(const QString& title, const QString& text) {
  title_->setText(shownText(title));
  text_->setText(shownText(text));
  setAccessibleName(title_->text());
  setAccessibleDescription(text_->text());
}

QString MessagePanel::text() const {
  return text_->text();
}

QPushButton* MessagePanel::addButton(const QString& text, const QString& toolTip) {
  auto* button = new QPushButton(text, this);
  button->setToolTip(toolTip);
  button->setAccessibleName(text);
  button->setDefault(buttons_->count() == 0);
  button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  button->setMinimumSize(button->sizeHint() + QSize(32, 8));
  buttons_->addWidget(button, 0, Qt::AlignHCenter);
  return button;
}

}  // namespace parapet::ui

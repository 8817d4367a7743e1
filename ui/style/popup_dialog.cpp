// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/popup_dialog.h"

#include <QPainter>

#include "ui/style/theme.h"

namespace parapet::ui {

PopupDialog::PopupDialog(QWidget* parent) : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint) {}

void PopupDialog::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(borderColor(palette()));
  painter.setBrush(palette().color(QPalette::Base));
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

}  // namespace parapet::ui

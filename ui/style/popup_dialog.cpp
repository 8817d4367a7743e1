// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/popup_dialog.h"

#include <QPainter>

#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

void paintBorder(QWidget& popup, QPalette::ColorRole ground) {
  QPainter painter(&popup);
  painter.setPen(borderColor(popup.palette()));
  painter.setBrush(popup.palette().color(ground));
  painter.drawRect(popup.rect().adjusted(0, 0, -1, -1));
}

}  // namespace

PopupDialog::PopupDialog(QWidget* parent) : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint) {}

void PopupDialog::paintEvent(QPaintEvent*) {
  paintBorder(*this, QPalette::Base);
}

PopupFrame::PopupFrame(QWidget* parent) : QFrame(parent, Qt::Popup) {
  // A line of its own, which what stands inside keeps clear of.
  setFrameShape(QFrame::Box);
  setLineWidth(1);
}

void PopupFrame::paintEvent(QPaintEvent*) {
  paintBorder(*this, QPalette::Window);
}

}  // namespace parapet::ui

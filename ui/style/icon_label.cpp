// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/icon_label.h"

#include <QPainter>

#include "ui/style/line_icon.h"

namespace parapet::ui {

IconLabel::IconLabel(const QString& iconName, int size, QWidget* parent)
    : QWidget(parent), icon_(lineIcon(iconName)) {
  setFixedSize(size, size);
}

void IconLabel::setIconName(const QString& iconName) {
  icon_ = lineIcon(iconName);
  update();
}

void IconLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  icon_.paint(&painter, rect());
}

}  // namespace parapet::ui

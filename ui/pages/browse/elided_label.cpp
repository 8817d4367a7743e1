// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/elided_label.h"

#include <QPainter>

#include "ui/plots/plot_theme.h"

namespace parapet::ui {

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& text) {
  text_ = text;
  setToolTip(text);
  setAccessibleName(text);
  updateGeometry();
  update();
}

QSize ElidedLabel::sizeHint() const {
  return {fontMetrics().horizontalAdvance(text_), fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
  return {0, fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(plotColors(palette()).quiet);
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(text_, Qt::ElideRight, width()));
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/elided_label.h"

#include <QPainter>

#include "ui/bridge/shown_text.h"
#include "ui/style/theme.h"

namespace parapet::ui {

ElidedLabel::ElidedLabel(QWidget* parent, Tone tone) : QWidget(parent), tone_(tone) {
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& text) {
  text_ = shownText(text);
  setToolTip(text_);
  setAccessibleName(text_);
  updateGeometry();
  update();
}

QSize ElidedLabel::sizeHint() const {
  return fontMetrics().size(0, text_.isEmpty() ? QStringLiteral(" ") : text_);
}

QSize ElidedLabel::minimumSizeHint() const {
  return {0, sizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(tone_ == Tone::kQuiet ? quietColor(palette())
                                       : palette().color(QPalette::WindowText));
  QStringList lines = text_.split(QLatin1Char('\n'));
  for (QString& line : lines) line = fontMetrics().elidedText(line, Qt::ElideRight, width());
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, lines.join(QLatin1Char('\n')));
}

}  // namespace parapet::ui

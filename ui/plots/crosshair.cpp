// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/crosshair.h"

#include <algorithm>
#include <cmath>

namespace parapet::ui {
namespace {

constexpr int kPadding = 8, kSwatch = 8, kGap = 6, kOffset = 12;

}  // namespace

Crosshair::Crosshair(QCustomPlot* plot) : QCPAbstractItem(plot) {
  plot->addLayer(QStringLiteral("crosshair"), nullptr, QCustomPlot::limAbove);
  plot->layer(QStringLiteral("crosshair"))->setMode(QCPLayer::lmBuffered);
  setLayer(QStringLiteral("crosshair"));
  setClipToAxisRect(false);
  setSelectable(false);
  setVisible(false);
}

void Crosshair::show(double x, QString title, std::vector<ReadoutRow> rows) {
  x_ = x;
  title_ = std::move(title);
  rows_ = std::move(rows);
  setVisible(true);
}

void Crosshair::hide() {
  setVisible(false);
}

void Crosshair::repaint() {
  layer()->replot();
}

void Crosshair::draw(QCPPainter* painter) {
  const QRect area = parentPlot()->axisRect()->rect();
  const double x = parentPlot()->xAxis->coordToPixel(x_);
  if (!(x >= area.left() && x <= area.right() + 1)) return;
  painter->save();
  painter->setAntialiasing(false);
  painter->setPen(QPen(colors_.axis, 1));
  painter->drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  painter->setAntialiasing(true);
  for (const ReadoutRow& row : rows_) {
    if (std::isnan(row.y)) continue;
    const double y = parentPlot()->yAxis->coordToPixel(row.y);
    if (!(y >= area.top() && y <= area.bottom())) continue;
    painter->setPen(QPen(colors_.background, 1));
    painter->setBrush(row.color);
    painter->drawEllipse(QPointF(x, y), 4, 4);
  }
  drawBox(*painter, x, area);
  painter->restore();
}

void Crosshair::drawBox(QCPPainter& painter, double x, const QRect& area) const {
  const QFontMetrics metrics(parentPlot()->font());
  painter.setFont(parentPlot()->font());
  int names = 0, values = 0;
  for (const ReadoutRow& row : rows_) {
    names = std::max(names, metrics.horizontalAdvance(row.name));
    values = std::max(values, metrics.horizontalAdvance(row.value));
  }
  const int inner =
      std::max(metrics.horizontalAdvance(title_), kSwatch + kGap + names + 2 * kGap + values);
  const int line = metrics.height() + 2;
  const int width = inner + 2 * kPadding;
  const int height = line * (static_cast<int>(rows_.size()) + 1) + 2 * kPadding - 2;
  // Right of the line while there is room, so the box never covers the point it tells about.
  double left = x + kOffset;
  if (left + width > area.right()) left = x - kOffset - width;
  left = std::max(left, static_cast<double>(area.left()));
  const QRectF box(std::floor(left) + 0.5, area.top() + 6.5, width, height);

  QColor fill = colors_.background;
  fill.setAlpha(235);
  painter.setPen(QPen(colors_.axis, 1));
  painter.setBrush(fill);
  painter.drawRoundedRect(box, 4, 4);
  double y = box.top() + kPadding;
  painter.setPen(colors_.quiet);
  painter.drawText(QRectF(box.left() + kPadding, y, inner, line), Qt::AlignLeft | Qt::AlignVCenter,
                   title_);
  for (const ReadoutRow& row : rows_) {
    y += line;
    const double x0 = box.left() + kPadding;
    painter.setPen(Qt::NoPen);
    painter.setBrush(row.color);
    painter.drawRoundedRect(QRectF(x0, y + (line - kSwatch) / 2.0, kSwatch, kSwatch), 2, 2);
    painter.setPen(colors_.text);
    painter.drawText(QRectF(x0 + kSwatch + kGap, y, names + 1, line),
                     Qt::AlignLeft | Qt::AlignVCenter, row.name);
    painter.drawText(QRectF(x0, y, inner, line), Qt::AlignRight | Qt::AlignVCenter, row.value);
  }
}

double Crosshair::selectTest(const QPointF&, bool, QVariant*) const {
  return -1.0;
}

}  // namespace parapet::ui

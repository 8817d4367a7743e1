// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/event_rail.h"

#include <QStringList>
#include <cmath>

namespace parapet::ui {
namespace {

constexpr double kRadius = 4.5;
/// A mark is found this many pixels around it.
constexpr double kReach = 7.0;

void drawShape(QCPPainter& painter, PlotMarkKind kind, const QPointF& at, const QColor& color) {
  const double r = kRadius;
  painter.setPen(QPen(color, 1));
  painter.setBrush(color);
  switch (kind) {
    case PlotMarkKind::kCheckpoint:
      painter.drawPolygon(QPolygonF(
          {at + QPointF(0, -r), at + QPointF(r, 0), at + QPointF(0, r), at + QPointF(-r, 0)}));
      return;
    case PlotMarkKind::kPause:
      painter.drawRect(QRectF(at.x() - r, at.y() - r, r * 0.6, 2 * r));
      painter.drawRect(QRectF(at.x() + r * 0.4, at.y() - r, r * 0.6, 2 * r));
      return;
    case PlotMarkKind::kResume:
      painter.drawPolygon(
          QPolygonF({at + QPointF(-r, -r), at + QPointF(r, 0), at + QPointF(-r, r)}));
      return;
    case PlotMarkKind::kWarning:
      painter.drawPolygon(
          QPolygonF({at + QPointF(0, -r), at + QPointF(r, r), at + QPointF(-r, r)}));
      return;
    case PlotMarkKind::kNonFinite:
      painter.setPen(QPen(color, 2));
      painter.drawLine(at + QPointF(-r, -r), at + QPointF(r, r));
      painter.drawLine(at + QPointF(-r, r), at + QPointF(r, -r));
      return;
  }
}

}  // namespace

EventRail::EventRail(QCustomPlot* plot) : QCPAbstractItem(plot) {
  setClipToAxisRect(false);
  setSelectable(false);
}

QColor EventRail::colorOf(PlotMarkKind kind) const {
  if (kind == PlotMarkKind::kNonFinite) return colors_.alarm;
  return kind == PlotMarkKind::kWarning ? colors_.notice : colors_.quiet;
}

double EventRail::pixelOf(const RailMark& mark) const {
  return parentPlot()->xAxis->coordToPixel(mark.x);
}

void EventRail::draw(QCPPainter* painter) {
  const QRect area = parentPlot()->axisRect()->rect();
  painter->save();
  painter->setAntialiasing(true);
  for (const RailMark& mark : marks_) {
    const double x = pixelOf(mark);
    if (!(x >= area.left() && x <= area.right() + 1)) continue;
    QColor faint = colorOf(mark.kind);
    faint.setAlpha(90);
    painter->setPen(QPen(faint, 1, Qt::DotLine));
    painter->drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    drawShape(*painter, mark.kind, QPointF(x, area.top() - kHeight / 2.0), colorOf(mark.kind));
  }
  painter->restore();
}

QString EventRail::textAt(const QPointF& pixel) const {
  const QRect area = parentPlot()->axisRect()->rect();
  if (pixel.y() < area.top() - kHeight || pixel.y() > area.top() + kReach) return {};
  QStringList texts;
  for (const RailMark& mark : marks_)
    if (std::abs(pixelOf(mark) - pixel.x()) <= kReach && !texts.contains(mark.text) &&
        texts.size() < 8)
      texts << mark.text;
  return texts.join(QLatin1Char('\n'));
}

double EventRail::selectTest(const QPointF&, bool, QVariant*) const {
  return -1.0;
}

}  // namespace parapet::ui

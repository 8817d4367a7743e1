// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/graph_items.h"

#include <QApplication>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "ui/plots/series_style.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr double kRadius = 6.0, kStripe = 5.0, kMargin = 8.0, kArrow = 9.0, kMark = 14.0;
/// From box to box: along the arrows, and across them.
constexpr QPointF kPitchRight{192.0, 70.0}, kPitchDown{84.0, 156.0};
constexpr int kFontPixels = 12;

QPointF originOf(const GraphBox& box, GraphFlow flow) {
  return flow == GraphFlow::kRight
             ? QPointF(box.column * kPitchRight.x(), box.row * kPitchRight.y())
             : QPointF(box.row * kPitchDown.y(), box.column * kPitchDown.x());
}

QString weightsText(const QString& count) {
  return QCoreApplication::translate("ModelGraph", "%1 parameters").arg(count);
}

/// The stripe at the left tells what a box is; its title says so as well.
QColor stripeOf(GraphBox::Kind kind, const QPalette& palette) {
  const auto color = [&palette](int index) {
    return seriesStyle(index, SeriesRole::kTraining, isDark(palette)).color;
  };
  switch (kind) {
    case GraphBox::Kind::kFeature:
      return color(0);
    case GraphBox::Kind::kLayer:
      return color(5);
    case GraphBox::Kind::kScore:
      return color(2);
    default:
      return color(3);
  }
}

}  // namespace

QSizeF graphSize(const ModelGraph& graph, GraphFlow flow) {
  QPointF far(0.0, 0.0);
  for (const GraphBox& box : graph.boxes) {
    const QPointF origin = originOf(box, flow);
    far = {std::max(far.x(), origin.x()), std::max(far.y(), origin.y())};
  }
  return {far.x() + BoxItem::kSize.width(), far.y() + BoxItem::kSize.height()};
}

BoxItem::BoxItem(const ModelGraph& graph, int index, GraphFlow flow)
    : box_(graph.boxes[static_cast<std::size_t>(index)]),
      index_(index),
      shape_(graph.shapeOf(box_)) {
  if (box_.parameters >= 0) parameters_ = QString::fromStdString(formatCount(box_.parameters));
  setFlag(ItemIsSelectable);
  setPos(originOf(box_, flow));
  setToolTip(description());
}

QString BoxItem::description() const {
  QStringList parts{box_.title};
  const QString weights = parameters_.isEmpty() ? QString() : weightsText(parameters_);
  for (const QString& part : {box_.detail, shape_, weights, box_.problem})
    if (!part.isEmpty()) parts << part;
  return parts.join('\n');
}

QRectF BoxItem::boundingRect() const {
  return QRectF({0.0, 0.0}, kSize).adjusted(-3.0, -3.0, 3.0, 3.0);
}

void BoxItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const QPalette palette = QApplication::palette();
  const QRectF frame({0.0, 0.0}, kSize);
  painter->setRenderHint(QPainter::Antialiasing);
  QPainterPath shape;
  shape.addRoundedRect(frame, kRadius, kRadius);
  painter->fillPath(shape, palette.color(QPalette::Base));
  painter->save();
  painter->setClipPath(shape, Qt::IntersectClip);
  painter->fillRect(QRectF(0.0, 0.0, kStripe, kSize.height()), stripeOf(box_.kind, palette));
  if (box_.severity != Severity::kNone) {
    QColor tint = severityColor(palette, box_.severity);
    tint.setAlpha(36);
    painter->fillRect(frame, tint);
  }
  painter->restore();
  QPen border(lineColor(palette), 1.0);
  if (box_.severity != Severity::kNone) border = {severityColor(palette, box_.severity), 2.0};
  if (isSelected()) border = {palette.color(QPalette::Highlight), 3.0};
  painter->setPen(border);
  painter->drawPath(shape);
  paintTexts(*painter, frame.adjusted(kStripe + kMargin, 6.0, -kMargin, -6.0));
}

void BoxItem::paintTexts(QPainter& painter, const QRectF& inside) const {
  const QPalette palette = QApplication::palette();
  QFont font = QApplication::font();
  font.setPixelSize(kFontPixels);
  const double line = inside.height() / 3.0;
  const auto draw = [&](const QString& text, int row, Qt::Alignment side, double from, double to) {
    const QRectF cell(inside.left() + from, inside.top() + row * line, to - from, line);
    const QString shown =
        QFontMetricsF(painter.font()).elidedText(text, Qt::ElideRight, cell.width());
    painter.drawText(cell, side | Qt::AlignVCenter, shown);
  };
  const bool marked = box_.severity != Severity::kNone;
  const double wide = inside.width();
  QFont bold = font;
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(palette.color(QPalette::Text));
  draw(box_.title, 0, Qt::AlignLeft, 0.0, marked ? wide - kMark - 4.0 : wide);
  painter.setFont(font);
  painter.setPen(quietColor(palette));
  draw(box_.detail, 1, Qt::AlignLeft, 0.0, wide);
  painter.setPen(palette.color(QPalette::Text));
  const double shapeWidth = QFontMetricsF(font).horizontalAdvance(shape_) + 2.0;
  draw(shape_, 2, Qt::AlignLeft, 0.0, std::min(wide, shapeWidth));
  painter.setPen(quietColor(palette));
  if (!parameters_.isEmpty()) {
    // Where the word has no room, the number stands alone.
    const double room = wide - shapeWidth - kMargin;
    const QString words = weightsText(parameters_);
    const bool fits = QFontMetricsF(font).horizontalAdvance(words) <= room;
    draw(fits ? words : parameters_, 2, Qt::AlignRight, std::min(wide, shapeWidth + kMargin), wide);
  }
  if (marked)
    severityIcon(palette, box_.severity)
        .paint(&painter, QRectF(inside.right() - kMark, inside.top() + 2.0, kMark, kMark).toRect());
}

ArrowItem::ArrowItem(const BoxItem& from, const BoxItem& to, const GraphEdge& edge,
                     GraphFlow flow) {
  const bool right = flow == GraphFlow::kRight;
  const QSizeF size = BoxItem::kSize;
  const double length = right ? size.width() : size.height();
  const double across = right ? size.height() : size.width();
  const QPointF pitch = right ? kPitchRight : kPitchDown;
  // "Along" goes with the arrows, "aside" across them.
  const auto point = [right](double along, double aside) {
    return right ? QPointF(along, aside) : QPointF(aside, along);
  };
  const auto alongOf = [right](const BoxItem& box) {
    return right ? box.pos().x() : box.pos().y();
  };
  const auto asideOf = [&](const BoxItem& box) {
    return (right ? box.pos().y() : box.pos().x()) + across / 2.0;
  };
  ahead_ = point(1.0, 0.0);
  double along = alongOf(from) + length, aside = asideOf(from);
  path_.moveTo(point(along, aside));
  const auto curveTo = [&](double nextAlong, double nextAside) {
    const double reach = std::max(20.0, (nextAlong - along) / 2.0);
    path_.cubicTo(point(along + reach, aside), point(nextAlong - reach, nextAside),
                  point(nextAlong, nextAside));
    along = nextAlong;
    aside = nextAside;
  };
  for (std::size_t passed = 0; passed < edge.passages.size(); ++passed) {
    const double begin = alongOf(from) + static_cast<double>(passed + 1) * pitch.x();
    const double middle =
        (edge.passages[passed] + kPassage / 2.0) * pitch.y() - (pitch.y() - across) / 2.0;
    curveTo(begin, middle);
    path_.lineTo(point(along = begin + length, aside));
  }
  tip_ = point(alongOf(to), asideOf(to));
  curveTo(alongOf(to) - (kArrow - 1.0), asideOf(to));
  setZValue(-1.0);
}

QRectF ArrowItem::boundingRect() const {
  return path_.boundingRect().united({tip_, tip_}).adjusted(-kArrow, -kArrow, kArrow, kArrow);
}

void ArrowItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const QColor color = quietColor(QApplication::palette());
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setBrush(Qt::NoBrush);
  painter->setPen(QPen(color, 1.25));
  painter->drawPath(path_);
  painter->setPen(Qt::NoPen);
  painter->setBrush(color);
  const QPointF base = tip_ - kArrow * ahead_;
  const QPointF side = kArrow / 2.0 * QPointF(ahead_.y(), ahead_.x());
  const QPointF corners[] = {tip_, base + side, base - side};
  painter->drawPolygon(corners, 3);
}

}  // namespace parapet::ui

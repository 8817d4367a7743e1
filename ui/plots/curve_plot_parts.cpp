// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_plot_parts.h"

#include <fmt/format.h>

#include <qcustomplot.h>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace parapet::ui {
namespace {

constexpr int kPadding = 8, kSwatch = 8, kGap = 6, kOffset = 12;

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

/// Opacity of the band of extremes, of 255: visible, and the lines over it stay readable.
constexpr int kBandAlpha = 48;
constexpr int kFadedAlpha = 70;
constexpr int kLabelAlpha = 210;
constexpr qsizetype kMaxMarks = 200;

QVector<double> toQt(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

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
    const double at = parentPlot()->xAxis->coordToPixel(row.x);
    if (!(y >= area.top() && y <= area.bottom() && at >= area.left() && at <= area.right() + 1))
      continue;
    painter->setPen(QPen(colors_.background, 1));
    painter->setBrush(row.color);
    painter->drawEllipse(QPointF(at, y), 4, 4);
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

CurveGraphs::CurveGraphs(QCustomPlot& plot, const CurveSeries& series) : plot_(plot) {
  if (series.kind() != CurveSeries::Kind::kLevel) {
    lower_ = plot.addGraph();
    upper_ = plot.addGraph();
    for (QCPGraph* edge : {lower_, upper_}) {
      edge->setPen(Qt::NoPen);
      edge->setSelectable(QCP::stNone);
      // The curves are reduced already; a second reduction would only cost another pass.
      edge->setAdaptiveSampling(false);
    }
    upper_->setChannelFillGraph(lower_);
  }
  line_ = plot.addGraph();
  line_->setSelectable(QCP::stNone);
  line_->setAdaptiveSampling(false);
  if (series.kind() == CurveSeries::Kind::kLevel) {
    label_ = new QCPItemText(&plot);
    label_->setText(QString::fromStdString(
        fmt::format("{} {:.4g}", series.name().toStdString(), series.level())));
    label_->setPositionAlignment(Qt::AlignRight | Qt::AlignBottom);
    label_->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    label_->position->setTypeY(QCPItemPosition::ptPlotCoords);
    label_->setPadding(QMargins(2, 0, 2, 0));
    label_->setSelectable(false);
    // Above every curve, whatever was added after it.
    label_->setLayer(QStringLiteral("axes"));
  }
}

CurveGraphs::~CurveGraphs() {
  plot_.removeGraph(line_);
  if (upper_) plot_.removeGraph(upper_);
  if (lower_) plot_.removeGraph(lower_);
  if (label_) plot_.removeItem(label_);
}

void CurveGraphs::setStyle(const SeriesStyle& style, const PlotColors& colors) {
  // One pixel: wider pens take seconds on noisy curves.
  line_->setPen(QPen(style.color, 1, style.dashes));
  line_->setLineStyle(style.line ? QCPGraph::lsLine : QCPGraph::lsNone);
  if (style.marks)
    marks_ = std::make_unique<QCPScatterStyle>(QCPScatterStyle::ssCircle, QPen(style.color, 1),
                                               colors.background, 5);
  if (marks_) line_->setScatterStyle(*marks_);
  if (upper_) {
    QColor fill = style.color;
    fill.setAlpha(kBandAlpha);
    upper_->setBrush(fill);
  }
  if (!label_) return;
  label_->setColor(style.color);
  // Lines that cross the label stay behind it.
  QColor behind = colors.background;
  behind.setAlpha(kLabelAlpha);
  label_->setBrush(behind);
}

double CurveGraphs::distance(const QPointF& pixel) const {
  return line_->selectTest(pixel, false);
}

void CurveGraphs::setFaded(bool faded) {
  QPen pen = line_->pen();
  QColor color = pen.color();
  color.setAlpha(faded ? kFadedAlpha : 255);
  pen.setColor(color);
  line_->setPen(pen);
}

void CurveGraphs::addToLegend(const QString& name) {
  line_->setName(name);
  line_->addToLegend();
}

void CurveGraphs::placeLabel(double y, bool inSight) {
  label_->setVisible(inSight);
  label_->position->setCoords(0.995, y);
}

void CurveGraphs::setData(const DrawnCurve& drawn) {
  const QVector<double> x = toQt(drawn.x);
  line_->setData(x, toQt(drawn.y), true);
  // Marks that touch are a thick line, and cost more than it.
  const bool hasRoom = x.size() <= kMaxMarks || line_->lineStyle() == QCPGraph::lsNone;
  if (marks_) line_->setScatterStyle(hasRoom ? *marks_ : QCPScatterStyle());
  if (!upper_) return;
  const bool band = !drawn.lower.empty();
  lower_->setData(band ? x : QVector<double>(), toQt(drawn.lower), true);
  upper_->setData(band ? x : QVector<double>(), toQt(drawn.upper), true);
}

}  // namespace parapet::ui

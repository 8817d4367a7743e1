// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_graphs.h"

#include <fmt/format.h>
#include <qcustomplot.h>

#include <cmath>

namespace parapet::ui {
namespace {

/// Opacity of the band of extremes, of 255: visible, and the lines over it stay readable.
constexpr int kBandAlpha = 48;
constexpr qsizetype kMaxMarks = 200;

QVector<double> toQt(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

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
  if (style.marks)
    marks_ = std::make_unique<QCPScatterStyle>(QCPScatterStyle::ssCircle, QPen(style.color, 1),
                                               colors.background, 5);
  if (marks_) line_->setScatterStyle(*marks_);
  if (upper_) {
    QColor fill = style.color;
    fill.setAlpha(kBandAlpha);
    upper_->setBrush(fill);
  }
  if (label_) label_->setColor(style.color);
}

void CurveGraphs::setVisible(bool visible) {
  line_->setVisible(visible);
  if (upper_) upper_->setVisible(visible);
  if (lower_) lower_->setVisible(visible);
  visible_ = visible;
  if (label_ && !visible) label_->setVisible(false);
}

void CurveGraphs::addToLegend(const QString& name) {
  line_->setName(name);
  line_->addToLegend();
}

void CurveGraphs::placeLabel(double y, bool inSight) {
  label_->setVisible(visible_ && inSight);
  label_->position->setCoords(0.995, y);
}

void CurveGraphs::setData(const DrawnCurve& drawn) {
  const QVector<double> x = toQt(drawn.x);
  line_->setData(x, toQt(drawn.y), true);
  // Marks that touch are a thick line, and cost more than it.
  if (marks_) line_->setScatterStyle(x.size() <= kMaxMarks ? *marks_ : QCPScatterStyle());
  if (!upper_) return;
  const bool band = !drawn.lower.empty();
  lower_->setData(band ? x : QVector<double>(), toQt(drawn.lower), true);
  upper_->setData(band ? x : QVector<double>(), toQt(drawn.upper), true);
}

}  // namespace parapet::ui

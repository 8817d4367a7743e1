// SPDX-License-Identifier: GPL-3.0-or-later
// How a CurvePlot gets on the screen: refresh, ranges, ticks, colours.
#include <fmt/format.h>

#include <QEvent>
#include <QLayout>
#include <algorithm>
#include <cmath>

#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_plot_parts.h"
#include "ui/plots/level_labels.h"

namespace parapet::ui {
namespace {

/// Share of the range left free above and below the curves.
constexpr double kMargin = 0.05;
constexpr double kRightMargin = 0.01;
/// Below this ratio of ends a logarithmic axis has too few powers of ten to label.
constexpr double kLogTicksRatio = 30.0;
/// Above this many seconds hours and minutes read better.
constexpr double kClockSeconds = 300.0;

double positionOfMark(const PlotMark& mark, XAxis axis, std::int64_t stepsPerEpoch) {
  const auto perEpoch = static_cast<double>(stepsPerEpoch);
  if (axis == XAxis::kSeconds) return mark.seconds;
  if (axis == XAxis::kStep)
    return std::isnan(mark.step) && stepsPerEpoch > 0 ? mark.epoch * perEpoch : mark.step;
  return std::isnan(mark.epoch) && stepsPerEpoch > 0 ? mark.step / perEpoch : mark.epoch;
}

/// Steps and epochs are counted: no tick between two of them unless the view is within one.
class CountTicker final : public QCPAxisTicker {
 protected:
  double getTickStep(const QCPRange& range) override {
    const double step = QCPAxisTicker::getTickStep(range);
    return range.size() < 2.0 ? step : std::max(1.0, std::floor(step));
  }
};

}  // namespace

std::pair<double, double> CurvePlot::Parts::xRange() const {
  if (const auto& view = zoom.current()) return {view->left, view->right};
  if (followed) return *followed;
  double low = INFINITY, high = -INFINITY;
  for (const auto& curve : curves) {
    if (!curve->visible || !curve->data.setsAxes()) continue;
    if (const auto extent = curve->data.extent(axis)) {
      low = std::min(low, extent->first);
      high = std::max(high, extent->second);
    }
  }
  if (!(low <= high)) return {0.0, 1.0};
  // Runs start at 0 on every axis; a range that jumps to 1 with the first step would wobble.
  low = std::min(low, 0.0);
  return high > low ? std::pair{low, high} : std::pair{low, low + 1.0};
}

std::pair<double, double> CurvePlot::Parts::yRange() const {
  if (const auto& view = zoom.current()) return {view->bottom, view->top};
  double low = INFINITY, high = -INFINITY;
  for (const auto& curve : curves) {
    if (!curve->visible || !curve->data.setsAxes()) continue;
    for (const auto* values : {&curve->drawn.y, &curve->drawn.lower, &curve->drawn.upper})
      for (const double value : *values) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
  }
  if (!(low <= high)) return logarithmic ? std::pair{0.1, 10.0} : std::pair{0.0, 1.0};
  if (logarithmic) {
    const double factor = high > low ? std::pow(high / low, kMargin) : 2.0;
    return {low / factor, high * factor};
  }
  const double margin =
      high > low ? (high - low) * kMargin : std::max(std::abs(low) * kMargin, 1e-9);
  return {low - margin, high + margin};
}

void CurvePlot::markDirty() {
  parts_->dirty = true;
  if (isVisible() && !window()->isMinimized()) parts_->timer.request();
}

void CurvePlot::refresh() {
  if (!isVisible() || window()->isMinimized()) return;
  prepare();
  // Queued: several refreshes in one turn of the event loop are painted once.
  parts_->plot->replot(QCustomPlot::rpQueuedReplot);
}

double CurvePlot::refreshNow() {
  // A plot that was never shown has not been laid out; its pictures need its real width.
  layout()->setGeometry(rect());
  parts_->plot->setViewport(parts_->plot->rect());
  for (const auto phase :
       {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
    parts_->plot->plotLayout()->update(phase);
  prepare();
  parts_->plot->replot(QCustomPlot::rpImmediateRefresh);
  return parts_->prepareMs + parts_->plot->replotTime();
}

void CurvePlot::prepare() {
  Parts& p = *parts_;
  QElapsedTimer clock;
  clock.start();
  refreshLegend();
  const auto [left, right] = p.xRange();
  const auto width = static_cast<std::size_t>(std::max(2, p.plot->axisRect()->width()));
  for (const auto& curve : p.curves) {
    if (!curve->visible) continue;
    curve->drawn = curve->data.draw(p.axis, left, right, width, p.logarithmic);
    curve->graphs->setData(curve->drawn);
  }
  // The last point of a whole curve stands within the frame.
  const bool whole = !p.zoom.current() && !p.followed;
  p.plot->xAxis->setRange(left, whole ? right + kRightMargin * (right - left) : right);
  const auto [bottom, top] = p.yRange();
  p.plot->yAxis->setRange(bottom, top);
  refreshTicks();
  placeLabels();
  refreshMarks();
  p.dirty = false;
  refreshDescription();
  if (p.crosshair->visible()) refreshCrosshair(p.crosshair->x());
  p.prepareMs = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

/// Lays out the legend in as many columns as fit the width; the rest goes into further rows.
void CurvePlot::refreshLegend() {
  QCustomPlot& plot = *parts_->plot;
  constexpr int kAroundText = 56;  // line, gaps
  int widest = 1;
  for (const auto& curve : parts_->curves)
    if (curve->visible)
      widest = std::max(widest, fontMetrics().horizontalAdvance(curve->data.name()));
  const int columns = std::clamp(plot.width() / (widest + kAroundText), 1, kMaxLegendColumns);
  if (plot.legend->wrap() == columns) return;
  plot.legend->setWrap(columns);
  plot.legend->setFillOrder(QCPLegend::foColumnsFirst, true);
}

void CurvePlot::refreshTicks() {
  Parts& p = *parts_;
  const QCPRange x = p.plot->xAxis->range(), y = p.plot->yAxis->range();
  const bool powers = p.logarithmic && y.upper / y.lower > kLogTicksRatio;
  p.plot->yAxis->setTicker(powers ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                  : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
  if (p.axis == XAxis::kSeconds) {
    const bool clockText = x.upper > kClockSeconds;
    p.plot->xAxis->setTicker(clockText ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerTime)
                                       : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
    p.plot->xAxis->setLabel(clockText ? tr("time [h:min:s]") : tr("time [s]"));
  }
  // Labels of large steps are wide; fewer of them stay apart.
  const QString longest = QString::number(static_cast<qint64>(std::abs(x.upper)));
  const int label = 2 * std::max(1, fontMetrics().horizontalAdvance(longest));
  constexpr int kMaxTicks = 5;
  p.plot->xAxis->ticker()->setTickCount(
      std::clamp(p.plot->axisRect()->width() / label, 1, kMaxTicks));
  // Whole steps and epochs where the range allows; a zoom below one shows its decimals.
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(x.size()))), 0, 6);
  p.plot->xAxis->setNumberPrecision(x.size() >= (p.axis == XAxis::kSeconds ? 5.0 : 2.0) ? 0
                                                                                        : decimals);
}

/// Levels may lie so close that their labels would cover each other.
void CurvePlot::placeLabels() {
  Parts& p = *parts_;
  const QCPRange range = p.plot->yAxis->range();
  std::vector<CurveGraphs*> shown;
  std::vector<double> lines;
  for (const auto& curve : p.curves) {
    if (!curve->graphs->hasLabel()) continue;
    const double level = curve->data.level();
    if (!curve->visible || !range.contains(level)) {
      curve->graphs->placeLabel(0.0, false);
      continue;
    }
    shown.push_back(curve->graphs.get());
    lines.push_back(p.plot->yAxis->coordToPixel(level));
  }
  const QRect inside = p.plot->axisRect()->rect();
  const std::vector<double> edges =
      spreadLabels(lines, fontMetrics().height(), inside.top(), inside.bottom());
  for (std::size_t i = 0; i < shown.size(); ++i)
    shown[i]->placeLabel(p.plot->yAxis->pixelToCoord(edges[i]), true);
}

void CurvePlot::refreshMarks() {
  Parts& p = *parts_;
  std::vector<RailMark> marks;
  for (const PlotMark& mark : p.marks) {
    const double x = positionOfMark(mark, p.axis, p.marksStepsPerEpoch);
    if (!std::isnan(x)) marks.push_back({x, mark.kind, mark.text});
  }
  for (const auto& curve : p.curves) {
    if (!curve->visible) continue;
    for (const double x : curve->drawn.nonFiniteX)
      marks.push_back(
          {x, PlotMarkKind::kNonFinite, tr("%1 is NaN or infinite").arg(curve->data.name())});
  }
  p.rail->setMarks(std::move(marks));
}

void CurvePlot::refreshDescription() {
  QStringList lines;
  for (const auto& curve : parts_->curves) {
    if (!curve->visible) continue;
    const CurveSummary summary = curve->data.summary();
    lines << (std::isnan(summary.last)
                  ? tr("%1: no values yet").arg(curve->data.name())
                  : QString::fromStdString(fmt::format("{}: last {:.6g}, min {:.6g}, max {:.6g}",
                                                       curve->data.name().toStdString(),
                                                       summary.last, summary.min, summary.max)));
  }
  setAccessibleDescription(lines.join(QStringLiteral("; ")));
}

void CurvePlot::restyle() {
  Parts& p = *parts_;
  const PlotColors colors = plotColors(palette());
  applyTheme(*p.plot, colors);
  p.plot->legend->setFont(font());
  for (QCPAxis* axis : {p.plot->xAxis, p.plot->yAxis}) {
    axis->setTickLabelFont(font());
    axis->setLabelFont(font());
  }
  p.rail->setColors(colors);
  p.crosshair->setColors(colors);
  for (const auto& curve : p.curves)
    curve->graphs->setStyle(seriesStyle(curve->styleIndex, curve->data.role(), colors.dark),
                            colors);
  markDirty();
}

void CurvePlot::setXAxis(XAxis axis) {
  Parts& p = *parts_;
  const bool changed = p.axis != axis;
  p.axis = axis;
  if (axis != XAxis::kSeconds) {
    p.plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new CountTicker));
    p.plot->xAxis->setLabel(axis == XAxis::kStep ? tr("step") : tr("epoch"));
  }
  // A zoom in steps means nothing in seconds.
  if (changed) zoomReset();
  markDirty();
}

void CurvePlot::setLogarithmic(bool on) {
  Parts& p = *parts_;
  if (p.logarithmic == on) return;
  p.logarithmic = on;
  p.plot->yAxis->setScaleType(on ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  // A view below zero cannot be shown on a logarithmic axis.
  zoomReset();
  p.log->setChecked(on);
  markDirty();
}

void CurvePlot::setLive(bool live) {
  QCustomPlot& plot = *parts_->plot;
  plot.setNotAntialiasedElements(live ? QCP::aeAll : QCP::aeNone);
  plot.setAntialiasedElements(live ? QCP::aeNone : QCP::aePlottables);
  markDirty();
}

void CurvePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) restyle();
}

void CurvePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (parts_->dirty) parts_->timer.request();
}

void CurvePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  markDirty();
}

}  // namespace parapet::ui

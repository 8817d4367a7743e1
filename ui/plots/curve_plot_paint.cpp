// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of a CurvePlot, which leaves the curves at least half of the height.
// How a CurvePlot gets on the screen: refresh, ranges, ticks, colours.

#include <QEvent>
#include <QLayout>
#include <algorithm>
#include <cmath>

#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_plot_parts.h"
#include "ui/plots/plot_theme.h"

namespace parapet::ui {
namespace {

/// More columns than these are not read at a glance.
constexpr int kMaxColumns = 5;
/// Pixels around a name: its line and the gaps.
constexpr int kAroundName = 56;
/// Pixels that a name is cut to at most.
constexpr int kMinName = 64;

/// Where the names go.
struct LegendGrid {
  int columns = 1;
  int names = 0;  ///< that have a cell; the others are counted in one more
  int nameWidth = 0;
};

/// Whole names while they fit. Where their rows would take the height from the curves, more columns
/// of shorter names; where these do not suffice, as many names as have a cell.
LegendGrid gridOf(int count, int widest, int maxRows, int width) {
  const int whole = std::clamp(width / (widest + kAroundName), 1, kMaxColumns);
  const int narrowest = std::clamp(width / (kMinName + kAroundName), whole, kMaxColumns);
  LegendGrid grid;
  grid.columns = std::clamp((count + maxRows - 1) / maxRows, whole, narrowest);
  const int cells = grid.columns * maxRows;
  grid.names = count <= cells ? count : cells - 1;
  grid.nameWidth = std::max(width / grid.columns - kAroundName, 0);
  return grid;
}

/// Share of the range left free above and below the curves.
constexpr double kMargin = 0.05;
constexpr double kRightMargin = 0.01;
/// Values that differ by a smaller share are the same but for rounding: losses are fp32.
constexpr double kFlat = 1e-9;
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

/// Numbers have the digits that their ticks need, so that no two of them read the same.
class ExactTicker : public QCPAxisTicker {
 protected:
  QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale& locale,
                                     QChar format, int precision) override {
    if (ticks.isEmpty()) return {};
    constexpr double kTolerance = 0.01;  // as a share of the step between two ticks
    constexpr int kMaxDigits = 15;
    const double step = std::abs(ticks.size() > 1 ? ticks[1] - ticks[0] : ticks[0]);
    for (;; ++precision) {
      QVector<QString> labels = QCPAxisTicker::createLabelVector(ticks, locale, format, precision);
      const bool exact = std::equal(
          labels.begin(), labels.end(), ticks.begin(), [&](const QString& label, double tick) {
            return std::abs(locale.toDouble(label) - tick) <= kTolerance * step;
          });
      if (!exact && precision < kMaxDigits) continue;
      // A view so deep that doubles end has some that are the same.
      for (qsizetype i = labels.size() - 1; i > 0; --i)
        if (labels[i] == labels[i - 1]) labels[i].clear();
      return labels;
    }
  }
};

/// Steps and epochs are counted: no tick between two of them unless the view is within one.
class CountTicker final : public ExactTicker {
 protected:
  double getTickStep(const QCPRange& range) override {
    const double step = QCPAxisTicker::getTickStep(range);
    return range.size() < 2.0 ? step : std::max(1.0, std::floor(step));
  }
};

}  // namespace

void layOut(QCustomPlot& plot) {
  for (const auto phase :
       {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
    plot.plotLayout()->update(phase);
}

void CurvePlot::refreshLegend() {
  Parts& p = *parts_;
  QCPLegend& legend = *p.plot->legend;
  const QFontMetrics metrics = fontMetrics();
  std::vector<PlottedCurve*> shown;
  int widest = 1;
  for (const auto& curve : p.curves) {
    if (!p.isDrawn(*curve)) continue;
    shown.push_back(curve.get());
    widest = std::max(widest, metrics.horizontalAdvance(curve->data.name()));
  }
  // Above and below the curves stand the marks and the title and numbers of the axis.
  const int others = EventRail::kHeight + 3 * metrics.height() + legend.margins().top();
  const int row = std::max(metrics.height(), legend.iconSize().height());
  const int maxRows = std::max(1, (p.plot->height() / 2 - others) / row);
  const LegendGrid grid = gridOf(static_cast<int>(shown.size()), widest, maxRows, p.plot->width());
  std::vector<std::pair<SeriesId, QString>> entries;
  for (PlottedCurve* curve : shown)
    if (std::ssize(entries) < grid.names)
      entries.emplace_back(curve->id,
                           metrics.elidedText(curve->data.name(), Qt::ElideMiddle, grid.nameWidth));
  if (const auto left = static_cast<int>(shown.size()) - grid.names; left > 0)
    entries.emplace_back(kNoSeries, tr("and %n more", nullptr, static_cast<int>(left)));
  if (entries == p.legendEntries && legend.wrap() == grid.columns) return;
  p.legendEntries = std::move(entries);
  if (p.legendRest) legend.remove(p.legendRest);
  legend.clearItems();
  legend.setWrap(grid.columns);
  for (const auto& [id, text] : p.legendEntries) {
    if (id != kNoSeries) {
      p.curve(id).graphs->addToLegend(text);
      continue;
    }
    p.legendRest = new QCPTextElement(p.plot, text, font());
    p.legendRest->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    p.legendRest->setTextColor(plotColors(palette()).quiet);
    legend.addElement(p.legendRest);
  }
  layOut(*p.plot);
}

QString CurvePlot::legendTextAt(const QPoint& pixel) const {
  if (!parts_->plot->legend->outerRect().contains(pixel)) return {};
  QStringList names;
  for (const auto& curve : parts_->curves)
    if (parts_->isDrawn(*curve)) names << curve->data.name();
  return names.join(QLatin1Char('\n'));
}

bool CurvePlot::Parts::isDrawn(const PlottedCurve& curve) const {
  return curve.data.kind() == CurveSeries::Kind::kLevel || curve.data.extent(axis).has_value();
}

std::pair<double, double> CurvePlot::Parts::xRange() const {
  if (const auto& view = zoom.current()) return {view->left, view->right};
  if (followed) return *followed;
  double low = INFINITY, high = -INFINITY;
  for (const auto& curve : curves) {
    if (!curve->data.setsAxes()) continue;
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
    if (!curve->data.setsAxes()) continue;
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
  const bool flat = high - low <= kFlat * std::max(std::abs(low), std::abs(high));
  const double margin = flat ? std::max(std::abs(low) * kMargin, 1e-9) : (high - low) * kMargin;
  return {low - margin, high + margin};
}

void CurvePlot::markDirty() {
  parts_->dirty = true;
  if (isVisible() && !window()->isMinimized()) parts_->timer.request();
}

void CurvePlot::refreshAtOnce() {
  parts_->dirty = true;
  if (isVisible() && !window()->isMinimized()) parts_->timer.requestNow();
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
  layOut(*parts_->plot);
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
  refreshName();
  spokenChanged();
  if (p.crosshair->visible()) refreshCrosshair(p.crosshair->x());
  p.prepareMs = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

void CurvePlot::refreshTicks() {
  Parts& p = *parts_;
  const QCPRange x = p.plot->xAxis->range(), y = p.plot->yAxis->range();
  const bool powers = p.logarithmic && y.upper / y.lower > kLogTicksRatio;
  p.plot->yAxis->setTicker(powers ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                  : QSharedPointer<QCPAxisTicker>(new ExactTicker));
  if (p.axis == XAxis::kSeconds) {
    const bool clockText = x.upper > kClockSeconds;
    p.plot->xAxis->setTicker(clockText ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerTime)
                                       : QSharedPointer<QCPAxisTicker>(new ExactTicker));
    p.plot->xAxis->setLabel(clockText ? tr("time [h:min:s]") : tr("time [s]"));
  }
  // Labels of large steps are wide; fewer of them stay apart.
  const QString longest = QString::number(static_cast<qint64>(std::abs(x.upper)));
  const int label = 2 * std::max(1, fontMetrics().horizontalAdvance(longest));
  constexpr int kMaxTicks = 5;
  p.plot->xAxis->ticker()->setTickCount(
      std::clamp(p.plot->axisRect()->width() / label, 1, kMaxTicks));
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
    if (!range.contains(level)) {
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
    for (const double x : curve->drawn.nonFiniteX)
      marks.push_back(
          {x, PlotMarkKind::kNonFinite, tr("%1 is NaN or infinite").arg(curve->data.name())});
  }
  p.rail->setMarks(std::move(marks));
}

/// Title and axes: "Plot of loss over step".
void CurvePlot::refreshName() {
  const QString name =
      tr("Plot of %1 over %2").arg(parts_->plot->yAxis->label(), parts_->plot->xAxis->label());
  if (name != accessibleName()) setAccessibleName(name);
}

void CurvePlot::restyle() {
  Parts& p = *parts_;
  const PlotColors colors = plotColors(palette());
  applyTheme(*p.plot, colors);
  p.plot->legend->setFont(font());
  p.legendEntries.assign(1, {kNoSeries, {}});  // none of a legend, so that it is made again
  for (QCPAxis* axis : {p.plot->xAxis, p.plot->yAxis}) {
    axis->setTickLabelFont(font());
    axis->setLabelFont(font());
  }
  p.rail->setColors(colors);
  p.crosshair->setColors(colors);
  p.pointed = kNoSeries;
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
  refreshName();
  // A zoom in steps means nothing in seconds.
  changed ? zoomReset() : markDirty();
}

void CurvePlot::setLogarithmic(bool on) {
  Parts& p = *parts_;
  if (p.logarithmic == on) return;
  p.logarithmic = on;
  p.plot->yAxis->setScaleType(on ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  // A view below zero cannot be shown on a logarithmic axis.
  zoomReset();
  p.log->setChecked(on);
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
  if (parts_->dirty) parts_->timer.requestNow();
}

void CurvePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  refreshAtOnce();
}

}  // namespace parapet::ui

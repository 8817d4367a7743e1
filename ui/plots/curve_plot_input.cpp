// SPDX-License-Identifier: GPL-3.0-or-later
// What a person does with a CurvePlot: zoom, move, point at.
#include <fmt/format.h>

#include <QKeyEvent>
#include <QMetaMethod>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_plot_parts.h"

namespace parapet::ui {
namespace {

/// One turn of the wheel, or one press of a key, shows this share of what was shown.
constexpr double kWheelFactor = 0.8;
constexpr double kPanShare = 0.1;
/// Turns of the wheel closer than this are one zoom in the history.
constexpr qint64 kGestureMs = 600;
/// A drag shorter than this is a click that shook.
constexpr int kMinDrag = 5;
/// Pixels around a curve that count as it.
constexpr double kCurveReach = 8.0;

double scaled(double from, double anchor, double factor, bool logarithmic) {
  return logarithmic ? anchor * std::pow(from / anchor, factor) : anchor + (from - anchor) * factor;
}

/// The index of the drawn value next to x; −1 if x is outside the curve.
std::ptrdiff_t nearest(const std::vector<double>& positions, double x) {
  if (positions.empty() || x < positions.front() || x > positions.back()) return -1;
  const auto right = std::lower_bound(positions.begin(), positions.end(), x);
  if (right == positions.begin()) return 0;
  return (*right - x < x - *(right - 1) ? right : right - 1) - positions.begin();
}

ReadoutRow readoutAt(const PlottedCurve& curve, double x, bool dark) {
  ReadoutRow row{curve.data.name(), {}, {}, NAN, x};
  row.color = seriesStyle(curve.styleIndex, curve.data.role(), dark).color;
  const DrawnCurve& drawn = curve.drawn;
  const std::ptrdiff_t found =
      curve.data.kind() == CurveSeries::Kind::kLevel ? 0 : nearest(drawn.x, x);
  if (found < 0 || drawn.x.empty()) {
    row.value = QStringLiteral("–");
    return row;
  }
  const auto i = static_cast<std::size_t>(found);
  row.y = drawn.y[i];
  if (curve.data.kind() != CurveSeries::Kind::kLevel) row.x = drawn.x[i];
  std::string text = std::isnan(row.y) ? "NaN" : fmt::format("{:.5g}", row.y);
  if (!drawn.lower.empty() && drawn.upper[i] > drawn.lower[i])
    text += fmt::format("  ({:.4g} … {:.4g})", drawn.lower[i], drawn.upper[i]);
  row.value = QString::fromStdString(text);
  return row;
}

QString positionText(XAxis axis, double x) {
  switch (axis) {
    case XAxis::kStep:
      return CurvePlot::tr("step %1").arg(QString::fromStdString(fmt::format("{:.0f}", x)));
    case XAxis::kEpoch:
      return CurvePlot::tr("epoch %1")
          .arg(QString::fromStdString(fmt::format("{:.{}f}", x, x == std::round(x) ? 0 : 2)));
    case XAxis::kSeconds:
      return CurvePlot::tr("%1 s").arg(QString::fromStdString(fmt::format("{:.1f}", x)));
  }
  return {};
}

}  // namespace

void CurvePlot::connectInput() {
  QCustomPlot* plot = parts_->plot;
  plot->setSelectionRectMode(QCP::srmCustom);
  plot->setMouseTracking(true);
  plot->installEventFilter(this);
  connect(plot->selectionRect(), &QCPSelectionRect::accepted, this, [this](const QRect& drag) {
    const QRect rect = drag.normalized() & parts_->plot->axisRect()->rect();
    if (rect.width() < kMinDrag || rect.height() < kMinDrag) return;
    const QCPAxis *x = parts_->plot->xAxis, *y = parts_->plot->yAxis;
    zoomTo({x->pixelToCoord(rect.left()), x->pixelToCoord(rect.right()),
            y->pixelToCoord(rect.bottom()), y->pixelToCoord(rect.top())});
  });
  connect(plot, &QCustomPlot::mouseWheel, this, [this](QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const int turn = delta.y() != 0 ? delta.y() : delta.x();  // Alt turns the wheel sideways
    wheelZoom(event->position(), turn / 120.0,
              event->modifiers() & Qt::ControlModifier ? Qt::Vertical : Qt::Horizontal);
  });
  connect(plot, &QCustomPlot::mouseMove, this,
          [this](QMouseEvent* event) { moveCrosshair(event->position()); });
  connect(plot, &QCustomPlot::mousePress, this,
          [this](QMouseEvent* event) { parts_->pressed = event->pos(); });
  connect(plot, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
    if (event->button() != Qt::LeftButton ||
        (event->pos() - parts_->pressed).manhattanLength() >= kMinDrag)
      return;
    if (const SeriesId id = parts_->curveAt(event->position()); id != kNoSeries)
      emit curveClicked(id);
  });
  connect(plot, &QCustomPlot::mouseDoubleClick, this, [this] { zoomReset(); });
  connect(plot, &QCustomPlot::afterReplot, this,
          [this] { parts_->timer.setCost(parts_->prepareMs + parts_->plot->replotTime()); });
}

PlotView CurvePlot::view() const {
  const QCPRange x = parts_->plot->xAxis->range(), y = parts_->plot->yAxis->range();
  return {x.lower, x.upper, y.lower, y.upper};
}

StepRange CurvePlot::shownSteps(SeriesId id) const {
  const CurveSeries& series = parts_->curve(id).data;
  const auto [left, right] = parts_->xRange();
  return series.pyramid().stepsBetween(parts_->axis, left, right, series.stepsPerEpoch());
}

int CurvePlot::pixelWidth() const {
  return std::max(1, parts_->plot->axisRect()->width());
}

void CurvePlot::zoomTo(const PlotView& view) {
  if (!(view.left < view.right && view.bottom < view.top)) return;
  if (parts_->logarithmic && !(view.bottom > 0.0)) return;
  parts_->zoom.push(view);
  parts_->followed.reset();
  refreshAtOnce();
  emit zoomChanged();
}

void CurvePlot::zoomBack() {
  parts_->zoom.back();
  parts_->followed.reset();
  refreshAtOnce();
  emit zoomChanged();
}

void CurvePlot::zoomForward() {
  parts_->zoom.forward();
  parts_->followed.reset();
  refreshAtOnce();
  emit zoomChanged();
}

void CurvePlot::zoomReset() {
  parts_->zoom.reset();
  parts_->followed.reset();
  refreshAtOnce();
  emit zoomChanged();
}

std::optional<std::pair<double, double>> CurvePlot::zoomedX() const {
  if (const auto& view = parts_->zoom.current()) return std::pair{view->left, view->right};
  return parts_->followed;
}

void CurvePlot::followX(const std::optional<std::pair<double, double>>& range) {
  if (zoomedX() == range) return;
  parts_->zoom.reset();
  parts_->followed = range;
  refreshAtOnce();
  emit zoomChanged();
}

void CurvePlot::wheelZoom(const QPointF& pixel, double turns, Qt::Orientation axis) {
  Parts& p = *parts_;
  // The present zoom, not the axes: several turns may come before the next refresh.
  PlotView next = p.zoom.current().value_or(view());
  const double factor = std::pow(kWheelFactor, turns);
  if (axis == Qt::Vertical) {
    const double anchor = p.plot->yAxis->pixelToCoord(pixel.y());
    next.bottom = scaled(next.bottom, anchor, factor, p.logarithmic);
    next.top = scaled(next.top, anchor, factor, p.logarithmic);
  } else {
    const double anchor = p.plot->xAxis->pixelToCoord(pixel.x());
    next.left = scaled(next.left, anchor, factor, false);
    next.right = scaled(next.right, anchor, factor, false);
  }
  if (!(next.left < next.right && next.bottom < next.top)) return;
  const bool sameGesture = p.lastWheel.isValid() && p.lastWheel.elapsed() < kGestureMs;
  sameGesture ? p.zoom.replace(next) : p.zoom.push(next);
  p.lastWheel.start();
  p.followed.reset();
  refreshAtOnce();
  emit zoomChanged();
}

void CurvePlot::pan(double shareX, double shareY) {
  PlotView next = parts_->zoom.current().value_or(view());
  const double dx = (next.right - next.left) * shareX;
  next.left += dx;
  next.right += dx;
  if (parts_->logarithmic) {
    const double factor = std::pow(next.top / next.bottom, shareY);
    next.bottom *= factor;
    next.top *= factor;
  } else {
    const double dy = (next.top - next.bottom) * shareY;
    next.bottom += dy;
    next.top += dy;
  }
  zoomTo(next);
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
  const QPointF middle = parts_->plot->axisRect()->center();
  switch (event->key()) {
    case Qt::Key_Plus:
      return wheelZoom(middle, 1.0, Qt::Horizontal);
    case Qt::Key_Minus:
      return wheelZoom(middle, -1.0, Qt::Horizontal);
    case Qt::Key_Left:
      return pan(-kPanShare, 0.0);
    case Qt::Key_Right:
      return pan(kPanShare, 0.0);
    case Qt::Key_Up:
      return pan(0.0, kPanShare);
    case Qt::Key_Down:
      return pan(0.0, -kPanShare);
    default:
      QWidget::keyPressEvent(event);
  }
}

QStringList CurvePlot::readout(double x) const {
  QStringList lines;
  for (const auto& curve : parts_->curves) {
    const ReadoutRow row = readoutAt(*curve, x, false);
    lines << QStringLiteral("%1 %2").arg(row.name, row.value);
  }
  return lines;
}

int CurvePlot::spokenParts() const {
  return static_cast<int>(parts_->curves.size());
}

int CurvePlot::chosenPart() const {
  const auto at = std::ranges::find(parts_->curves, parts_->pointed, &PlottedCurve::id);
  return at == parts_->curves.end() ? -1 : static_cast<int>(at - parts_->curves.begin());
}

SpokenPart CurvePlot::spokenPart(int index) const {
  const PlottedCurve& curve = *parts_->curves.at(static_cast<std::size_t>(index));
  const CurveSummary summary = curve.data.summary();
  if (std::isnan(summary.last)) return {curve.data.name(), tr("no values yet")};
  const auto number = [](double value) {
    return QString::fromStdString(fmt::format("{:.6g}", value));
  };
  QString value = number(summary.last);
  if (curve.data.kind() != CurveSeries::Kind::kLevel)
    value =
        tr("last %1, smallest %2, largest %3").arg(value, number(summary.min), number(summary.max));
  if (const auto x = crosshair())
    value +=
        tr("; %1 at %2").arg(readoutAt(curve, *x, false).value, positionText(parts_->axis, *x));
  return {curve.data.name(), value, parts_->plot->axisRect()->rect()};
}

QString CurvePlot::spokenValue() const {
  QString value = tr("%n series", nullptr, spokenParts());
  if (const auto x = crosshair())
    value += QStringLiteral("; %1: %2")
                 .arg(positionText(parts_->axis, *x), readout(*x).join(QStringLiteral(", ")));
  return value;
}

void CurvePlot::refreshCrosshair(double x) {
  const bool dark = plotColors(palette()).dark;
  std::vector<ReadoutRow> rows;
  for (const auto& curve : parts_->curves) rows.push_back(readoutAt(*curve, x, dark));
  parts_->crosshair->show(x, positionText(parts_->axis, x), std::move(rows));
  spokenChanged();
}

CurvePlot::SeriesId CurvePlot::Parts::curveAt(const QPointF& pixel) const {
  SeriesId nearestId = kNoSeries;
  double least = kCurveReach;
  for (const auto& each : curves) {
    const double distance = each->graphs->distance(pixel);
    if (distance < 0.0 || distance > least) continue;
    least = distance;
    nearestId = each->id;
  }
  return nearestId;
}

double CurvePlot::Parts::snapped(double x) const {
  double best = NAN;
  for (const auto& each : curves) {
    if (each->data.kind() == CurveSeries::Kind::kLevel) continue;
    const std::ptrdiff_t found = nearest(each->drawn.x, x);
    if (found < 0) continue;
    const double at = each->drawn.x[static_cast<std::size_t>(found)];
    if (!(std::abs(best - x) <= std::abs(at - x))) best = at;
  }
  return std::isnan(best) ? x : best;
}

/// A wider line would cost seconds on a noisy curve; the others step back instead.
void CurvePlot::pointAt(SeriesId id) {
  Parts& p = *parts_;
  if (p.pointed == id) return;
  p.pointed = id;
  for (const auto& curve : p.curves) curve->graphs->setFaded(id != kNoSeries && curve->id != id);
  static const QMetaMethod clicked = QMetaMethod::fromSignal(&CurvePlot::curveClicked);
  const bool hand = id != kNoSeries && isSignalConnected(clicked);
  p.plot->setCursor(hand ? Qt::PointingHandCursor : Qt::ArrowCursor);
  p.plot->replot(QCustomPlot::rpQueuedReplot);
}

void CurvePlot::moveCrosshair(const QPointF& pixel) {
  const Parts& p = *parts_;
  if (p.plot->axisRect()->rect().contains(pixel.toPoint())) {
    const double x = p.snapped(p.plot->xAxis->pixelToCoord(pixel.x()));
    pointAt(p.curveAt(pixel));
    showCrosshair(x);
    emit pointedAt(x);
  } else {
    pointAt(kNoSeries);
    showCrosshair(std::nullopt);
    emit pointerLeft();
  }
}

void CurvePlot::showCrosshair(std::optional<double> x) {
  if (x)
    refreshCrosshair(*x);
  else
    parts_->crosshair->hide();
  parts_->crosshair->repaint();
}

std::optional<double> CurvePlot::crosshair() const {
  return parts_->crosshair->visible() ? std::optional(parts_->crosshair->x()) : std::nullopt;
}

bool CurvePlot::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parts_->plot && event->type() == QEvent::Leave) {
    pointAt(kNoSeries);
    showCrosshair(std::nullopt);
    emit pointerLeft();
  }
  if (watched == parts_->plot && event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text = parts_->rail->textAt(help->pos());
    if (text.isEmpty()) text = legendTextAt(help->pos());
    if (text.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(help->globalPos(), text, parts_->plot);
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace parapet::ui

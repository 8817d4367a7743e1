// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_plot.h"

#include <fmt/format.h>

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QPainter>
#include <QSvgGenerator>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/base/files.h"
#include "engine/base/quoting.h"
#include "ui/plots/curve_export.h"
#include "ui/plots/curve_plot_parts.h"

namespace parapet::ui {
namespace {

/// Pictures are made for documents: twice the pixels of the screen.
constexpr double kPictureScale = 2.0;

Status writeSvg(QCustomPlot& plot, const QString& path) {
  QSvgGenerator generator;
  generator.setFileName(path);
  generator.setSize(plot.size());
  generator.setViewBox(QRect(QPoint(0, 0), plot.size()));
  QCPPainter painter;
  if (!painter.begin(&generator))
    return Error{ErrorCode::kIo, "[plots.export] cannot write the picture", {}, path.toStdString()};
  painter.setMode(QCPPainter::pmVectorized);
  plot.toPainter(&painter, plot.width(), plot.height());
  painter.end();
  return {};
}

}  // namespace

void ZoomHistory::push(const PlotView& view) {
  if (current() == view) return;
  views_.resize(now_ + 1);
  views_.emplace_back(view);
  if (views_.size() > kDepth) views_.erase(views_.begin() + 1);
  now_ = views_.size() - 1;
}

void ZoomHistory::replace(const PlotView& view) {
  if (!current()) return push(view);
  views_.resize(now_ + 1);
  views_[now_] = view;
}

void ZoomHistory::back() {
  if (canGoBack()) --now_;
}

void ZoomHistory::forward() {
  if (canGoForward()) ++now_;
}

void ZoomHistory::reset() {
  views_.assign(1, std::nullopt);
  now_ = 0;
}

PlottedCurve& CurvePlot::Parts::curve(SeriesId id) {
  for (const auto& curve : curves)
    if (curve->id == id) return *curve;
  throw InvalidArgument(fmt::format("[plots.CurvePlot] no curve has the id {}", id));
}

std::vector<const CurveSeries*> CurvePlot::Parts::series() const {
  std::vector<const CurveSeries*> all;
  for (const auto& curve : curves) all.push_back(&curve->data);
  return all;
}

CurvePlot::CurvePlot(const QString& quantity, const QString& unit, QWidget* parent)
    : QWidget(parent), SpokenDrawing(this), parts_(std::make_unique<Parts>()) {
  build(quantity, unit);
  buildActions();
  connectInput();
  connect(&parts_->timer, &ReplotTimer::due, this, &CurvePlot::refresh);
  setXAxis(XAxis::kStep);
  restyle();
}

CurvePlot::~CurvePlot() {
  // The graphs leave the plot while it still lives; QWidget deletes it after parts_.
  parts_->curves.clear();
}

void CurvePlot::build(const QString& quantity, const QString& unit) {
  Parts& p = *parts_;
  p.quantity = quantity;
  p.plot = new QCustomPlot(this);
  auto* layout = new QVBoxLayout(this);
  // Room for the ring of the focus.
  layout->setContentsMargins(2, 2, 2, 2);
  layout->addWidget(p.plot);
  // The plot would ask for the width of its legend, which gives way instead.
  p.plot->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
  p.plot->setMinimumSize(160, 120);
  p.plot->setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
  p.plot->setNoAntialiasingOnDrag(true);
  p.plot->setLocale(QLocale::c());
  p.plot->yAxis->setLabel(unit.isEmpty() ? quantity
                                         : QStringLiteral("%1 [%2]").arg(quantity, unit));
  p.plot->xAxis->setNumberFormat(QStringLiteral("f"));
  p.plot->xAxis->setNumberPrecision(0);
  p.plot->yAxis->setNumberFormat(QStringLiteral("gb"));

  QCPAxisRect* area = p.plot->axisRect();
  area->setAutoMargins(QCP::msLeft | QCP::msRight | QCP::msBottom);
  area->setMargins(QMargins(0, EventRail::kHeight, 0, 0));
  area->setMinimumMargins(QMargins(0, 0, 14, 0));
  // The legend has a row of its own, so it never lies over the data.
  p.plot->plotLayout()->insertRow(0);
  p.plot->plotLayout()->addElement(0, 0, p.plot->legend);
  p.plot->plotLayout()->setRowStretchFactor(0, 0.001);
  p.plot->plotLayout()->setRowSpacing(0);
  p.plot->legend->setFillOrder(QCPLegend::foColumnsFirst);
  p.plot->legend->setMargins(QMargins(8, 6, 8, 0));
  p.plot->legend->setRowSpacing(0);
  p.plot->legend->setVisible(true);
  p.plot->setAutoAddPlottableToLegend(false);

  p.rail = new EventRail(p.plot);
  p.crosshair = new Crosshair(p.plot);
  setFocusPolicy(Qt::StrongFocus);
  p.plot->setFocusProxy(this);
  setLive(true);
}

void CurvePlot::paintEvent(QPaintEvent*) {
  if (!hasFocus()) return;
  QPainter painter(this);
  painter.setPen(QPen(palette().color(QPalette::Link), 2));
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

void CurvePlot::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  update();
}

void CurvePlot::focusOutEvent(QFocusEvent* event) {
  QWidget::focusOutEvent(event);
  update();
}

CurvePlot::SeriesId CurvePlot::add(CurveSeries series) {
  Parts& p = *parts_;
  series.setBand(p.band);
  auto curve = std::make_unique<PlottedCurve>(
      PlottedCurve{p.nextId++, p.nextStyle++, std::move(series), nullptr, {}});
  if (p.smoothing > 0.0) curve->data.setSmoothing(p.smoothing);
  curve->graphs = std::make_unique<CurveGraphs>(*p.plot, curve->data);
  if (p.table) p.table->setSeriesName(curve->id, curve->data.name());
  p.curves.push_back(std::move(curve));
  restyle();
  return p.curves.back()->id;
}

CurvePlot::SeriesId CurvePlot::addSteps(const QString& name, SeriesRole role) {
  return add(CurveSeries(name, CurveSeries::Kind::kSteps, role));
}

CurvePlot::SeriesId CurvePlot::addPoints(const QString& name, SeriesRole role, AxisUse use) {
  CurveSeries series(name, CurveSeries::Kind::kPoints, role);
  series.setSetsAxes(use == AxisUse::kSetsAxes);
  return add(std::move(series));
}

CurvePlot::SeriesId CurvePlot::addLevel(const QString& name, double value) {
  CurveSeries series(name, CurveSeries::Kind::kLevel, SeriesRole::kBaseline);
  series.setLevel(value);
  const SeriesId id = add(std::move(series));
  const CurvePoint point{.value = value};
  if (parts_->table) parts_->table->append(id, std::span(&point, 1));
  return id;
}

void CurvePlot::removeSeries(SeriesId id) {
  parts_->curve(id);
  std::erase_if(parts_->curves, [&](const auto& curve) { return curve->id == id; });
  if (parts_->table) parts_->table->removeSeries(id);
  markDirty();
}

void CurvePlot::clear() {
  Parts& p = *parts_;
  if (p.table)
    for (const auto& curve : p.curves) p.table->removeSeries(curve->id);
  p.curves.clear();
  p.marks.clear();
  p.nextStyle = 0;
  zoomReset();
}

void CurvePlot::appendSteps(SeriesId id, std::span<const experiment::StepBucket> buckets) {
  parts_->curve(id).data.append(buckets);
  if (parts_->table) parts_->table->append(id, buckets);
  markDirty();
}

void CurvePlot::truncateAfter(SeriesId id, std::int64_t step) {
  parts_->curve(id).data.truncateAfter(step);
  if (parts_->table) parts_->table->truncateAfter(id, step);
  markDirty();
}

void CurvePlot::appendPoint(SeriesId id, const CurvePoint& point) {
  parts_->curve(id).data.append(point);
  if (parts_->table) parts_->table->append(id, std::span(&point, 1));
  markDirty();
}

void CurvePlot::setPoints(SeriesId id, std::vector<CurvePoint> points) {
  PlottedCurve& curve = parts_->curve(id);
  if (parts_->table) {
    parts_->table->removeSeries(id);
    parts_->table->setSeriesName(id, curve.data.name());
    parts_->table->append(id, points);
  }
  curve.data.setPoints(std::move(points));
  markDirty();
}

void CurvePlot::setStepsPerEpoch(SeriesId id, std::int64_t steps) {
  parts_->curve(id).data.setStepsPerEpoch(steps);
  markDirty();
}

void CurvePlot::setMarks(std::vector<PlotMark> marks) {
  parts_->marks = std::move(marks);
  markDirty();
}

void CurvePlot::setMarksStepsPerEpoch(std::int64_t steps) {
  parts_->marksStepsPerEpoch = steps;
  markDirty();
}

XAxis CurvePlot::xAxis() const {
  return parts_->axis;
}
bool CurvePlot::logarithmic() const {
  return parts_->logarithmic;
}

void CurvePlot::setSmoothing(double weight) {
  const DebiasedEma checked(weight);
  parts_->smoothing = checked.weight();
  for (const auto& curve : parts_->curves) curve->data.setSmoothing(weight);
  refreshAtOnce();
}

void CurvePlot::setBand(bool shown) {
  parts_->band = shown;
  for (const auto& curve : parts_->curves) curve->data.setBand(shown);
  refreshAtOnce();
}

void CurvePlot::setTable(CurveTableModel* table) {
  parts_->table = table;
  if (!table) return;
  for (const auto& curve : parts_->curves) {
    const CurveSeries& series = curve->data;
    table->setSeriesName(curve->id, series.name());
    table->append(curve->id, series.pyramid().leaves());
    table->append(curve->id, series.points());
    const CurvePoint level{.value = series.level()};
    if (series.kind() == CurveSeries::Kind::kLevel) table->append(curve->id, std::span(&level, 1));
  }
}

const DrawnCurve& CurvePlot::drawn(SeriesId id) const {
  return parts_->curve(id).drawn;
}
bool CurvePlot::dirty() const {
  return parts_->dirty;
}
const ZoomHistory& CurvePlot::zoomHistory() const {
  return parts_->zoom;
}

void CurvePlot::buildActions() {
  const auto make = [this](const QString& text, const QKeySequence& keys) {
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
    return action;
  };
  Parts& p = *parts_;
  p.back = make(tr("Zoom back"), QKeySequence(Qt::ALT | Qt::Key_Left));
  connect(p.back, &QAction::triggered, this, &CurvePlot::zoomBack);
  p.forward = make(tr("Zoom forward"), QKeySequence(Qt::ALT | Qt::Key_Right));
  connect(p.forward, &QAction::triggered, this, &CurvePlot::zoomForward);
  connect(make(tr("Show everything"), QKeySequence(Qt::Key_Home)), &QAction::triggered, this,
          &CurvePlot::zoomReset);
  p.log = make(tr("Logarithmic"), QKeySequence(Qt::Key_L));
  p.log->setCheckable(true);
  connect(p.log, &QAction::toggled, this, &CurvePlot::setLogarithmic);
  connect(make(tr("Copy picture"), QKeySequence::Copy), &QAction::triggered, this,
          &CurvePlot::copyPicture);
  connect(make(tr("Copy data"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)),
          &QAction::triggered, this, &CurvePlot::copyData);
  connect(make(tr("Export…"), QKeySequence()), &QAction::triggered, this, &CurvePlot::chooseExport);
  setContextMenuPolicy(Qt::ActionsContextMenu);
  const auto enable = [this] {
    parts_->back->setEnabled(parts_->zoom.canGoBack());
    parts_->forward->setEnabled(parts_->zoom.canGoForward());
  };
  connect(this, &CurvePlot::zoomChanged, this, enable);
  enable();
}

Result<std::string> CurvePlot::exportTo(const QString& path) {
  Parts& p = *parts_;
  const QString ending = QFileInfo(path).suffix().toLower();
  if (ending == QLatin1String("csv") || ending == QLatin1String("json")) emit dataWanted();
  if (ending == QLatin1String("csv")) {
    const std::string csv = curvesAsCsv(p.series());
    PARAPET_TRY(writeFileAtomically(path.toStdString(), csv));
    return formulaNote(csv);
  }
  if (ending == QLatin1String("json")) {
    PARAPET_TRY(writeFileAtomically(path.toStdString(), curvesAsJson(p.series())));
    return std::string();
  }
  p.crosshair->hide();
  refreshNow();
  if (ending == QLatin1String("svg")) {
    PARAPET_TRY(writeSvg(*p.plot, path));
    return std::string();
  }
  bool written = false;
  if (ending == QLatin1String("png"))
    written = p.plot->savePng(path, 0, 0, kPictureScale);
  else if (ending == QLatin1String("pdf"))
    written = p.plot->savePdf(path);
  else
    return Error{ErrorCode::kInvalidDocument,
                 "[plots.export] file ending \"" + ending.toStdString() +
                     "\"; accepted are png, pdf, svg, csv, json",
                 {},
                 path.toStdString()};
  if (!written)
    return Error{ErrorCode::kIo, "[plots.export] cannot write the picture", {}, path.toStdString()};
  return std::string();
}

void CurvePlot::copyPicture() {
  parts_->crosshair->hide();
  refreshNow();
  QGuiApplication::clipboard()->setPixmap(parts_->plot->toPixmap(0, 0, kPictureScale));
}

void CurvePlot::copyData() {
  emit dataWanted();
  const std::string csv = curvesAsCsv(parts_->series());
  QGuiApplication::clipboard()->setText(QString::fromStdString(csv));
  if (std::string note = formulaNote(csv); !note.empty())
    emit failed({ErrorCode::kData, std::move(note)});
}

void CurvePlot::chooseExport() {
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export plot"), QStringLiteral("%1.png").arg(parts_->quantity),
      tr("Picture (*.png *.pdf *.svg);;Data (*.csv *.json)"));
  if (path.isEmpty()) return;
  const Result<std::string> note = exportTo(path);
  if (!note)
    emit failed(note.error());
  else if (!note->empty())
    emit failed({ErrorCode::kData, *note});
}

}  // namespace parapet::ui

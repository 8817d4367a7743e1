// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/chart_grid.h"

#include <QResizeEvent>
#include <cmath>
#include <limits>
#include <string_view>

#include "engine/experiment/published_run.h"
#include "ui/models/run_curves.h"
#include "ui/style/layouts.h"

namespace parapet::ui {
namespace {

/// More rows than there are: those that were drawn are drawn anew.
constexpr std::size_t kDrawAgain = std::numeric_limits<std::size_t>::max();

CurvePoint pointOf(const EpochRow& row, double value) {
  return {static_cast<double>(row.summary.step), static_cast<double>(row.summary.epoch),
          row.atSeconds, value};
}

PlotMarkKind kindOf(RunMark::Kind kind) {
  switch (kind) {
    case RunMark::Kind::kCheckpoint:
      return PlotMarkKind::kCheckpoint;
    case RunMark::Kind::kPause:
      return PlotMarkKind::kPause;
    case RunMark::Kind::kResume:
      return PlotMarkKind::kResume;
    default:
      return PlotMarkKind::kWarning;
  }
}

constexpr std::string_view kDisplayedSuffix = "_as_displayed";
constexpr int kRatePoints = 400;
/// So many buckets of an epoch can spare the one at its end.
constexpr std::int64_t kFewJoined = 4;

std::optional<double> rateOrMetric(const EpochRow& row, const QString& metric) {
  if (metric != kLearningRate) return EpochsModel::metricOf(row, metric);
  const double rate = row.summary.learningRate;
  return std::isfinite(rate) ? std::optional(rate) : std::nullopt;
}

/// Narrower charts stand below each other.
constexpr int kMinWidth = 320;

bool isLosses(const QString& chart) {
  return chart == QLatin1String("loss");
}

}  // namespace

LossChart::LossChart(const RunCurves& curves, QWidget* parent)
    : QWidget(parent), curves_(curves), plot_(new CurvePlot(tr("loss"), {}, this)) {
  auto* layout = verticalBox(this);
  layout->addWidget(plot_);
  plot_->setAccessibleName(tr("Losses of the run"));
  plot_->setTable(&table_);
  connect(&curves_, &RunCurves::reset, this, &LossChart::rebuild);
  connect(&curves_, &RunCurves::stepsAdded, this, &LossChart::addSteps);
  connect(&curves_, &RunCurves::truncated, this, &LossChart::truncateAfter);
  connect(&curves_, &RunCurves::stepsReplaced, this, [this](const RunCurves::StepBuckets& steps) {
    truncateAfter(-1);
    addSteps(steps);
  });
  connect(plot_, &CurvePlot::zoomChanged, this, [this] {
    if (steps_ < 0) return;  // the plot is being cleared
    const StepRange steps = plot_->shownSteps(steps_);
    emit detailWanted(steps.first, steps.last);
  });
  connect(&curves_, &RunCurves::epochReplaced, this, [this] { validation_.rows = kDrawAgain; });
  connect(&curves_, &RunCurves::epochsChanged, this, &LossChart::refreshEpochs);
  connect(&curves_, &RunCurves::factsChanged, this, &LossChart::refreshFacts);
  connect(&curves_, &RunCurves::marksChanged, this, &LossChart::refreshMarks);
  rebuild({});
}

void LossChart::rebuild(const RunCurves::StepBuckets& steps) {
  steps_ = -1;
  plot_->clear();
  table_.clear();
  steps_ = plot_->addSteps(tr("step loss"), SeriesRole::kTraining);
  shortBatches_.clear();
  // Dashed: it is what a progress bar would have shown, not a mean of anything.
  loss_ = {plot_->addPoints(tr("epoch loss"), SeriesRole::kValidation), 0};
  displayed_ = {plot_->addPoints(tr("as displayed"), SeriesRole::kReference), 0};
  validation_ = {plot_->addPoints(tr("val_loss"), SeriesRole::kValidation), 0};
  short_ =
      plot_->addPoints(tr("step loss, short batch"), SeriesRole::kApart, CurvePlot::AxisUse::kNone);
  level_ = publishedLoss_ = publishedValidation_ = -1;
  bands_.clear();
  levelValue_.reset();
  stepsPerEpoch_ = 0;
  addReference();
  addSteps(steps);
  refreshEpochs();
  refreshFacts();
  refreshMarks();
}

void LossChart::addSteps(const RunCurves::StepBuckets& steps) {
  const RunFacts& facts = curves_.facts();
  if (!facts.hasShortBatch || facts.stepsPerEpoch < 2) return plot_->appendSteps(steps_, steps);
  RunCurves::StepBuckets line;
  const std::size_t before = shortBatches_.size();
  for (const experiment::StepBucket& bucket : steps) {
    const std::int64_t width = bucket.lastStep - bucket.firstStep + 1;
    const bool endsEpoch =
        bucket.lastStep / facts.stepsPerEpoch != (bucket.firstStep - 1) / facts.stepsPerEpoch;
    if (endsEpoch && width == 1)
      shortBatches_.push_back({.step = static_cast<double>(bucket.lastStep),
                               .seconds = bucket.seconds,
                               .value = bucket.nonFinite > 0 ? NAN : bucket.last});
    // Steps that were joined mix both; they are told apart when more detail is asked for.
    else if (!endsEpoch || kFewJoined * width > facts.stepsPerEpoch)
      line.push_back(bucket);
  }
  plot_->appendSteps(steps_, line);
  if (shortBatches_.size() > before) plot_->setPoints(short_, shortBatches_);
}

void LossChart::truncateAfter(std::int64_t step) {
  plot_->truncateAfter(steps_, step);
  std::erase_if(shortBatches_,
                [step](const CurvePoint& point) { return point.step > static_cast<double>(step); });
  plot_->setPoints(short_, shortBatches_);
}

void LossChart::addReference() {
  const auto& reference = curves_.facts().reference;
  if (!reference) return;
  publishedLoss_ =
      plot_->addPoints(tr("published loss"), SeriesRole::kReference, CurvePlot::AxisUse::kNone);
  plot_->setPoints(publishedLoss_, publishedPoints(reference->lossAsDisplayed));
  publishedValidation_ =
      plot_->addPoints(tr("published val_loss"), SeriesRole::kReference, CurvePlot::AxisUse::kNone);
  plot_->setPoints(publishedValidation_, publishedPoints(reference->valLoss));
  for (const auto& [key, name] :
       {std::pair("loss_as_displayed", tr("as displayed: mean of %1 seeds ± 2 sd")),
        std::pair("val_loss", tr("val_loss: mean of %1 seeds ± 2 sd"))}) {
    const experiment::PublishedBand band = experiment::publishedBand(*reference, key);
    if (band.points.empty()) continue;
    bands_.push_back(
        plot_->addPoints(name.arg(band.seeds), SeriesRole::kReference, CurvePlot::AxisUse::kNone));
    plot_->setPoints(bands_.back(), bandPoints(band));
  }
}

void LossChart::refreshEpochs() {
  const std::vector<EpochRow>& rows = curves_.epochs().rows();
  const auto show = [&](EpochCurve& curve, auto valueOf) {
    if (curve.rows > rows.size()) {
      plot_->setPoints(curve.id, {});
      curve.rows = 0;
    }
    // Only what is new: a run of thousands of epochs tells each of them.
    for (; curve.rows < rows.size(); ++curve.rows) {
      const EpochRow& row = rows[curve.rows];
      if (const std::optional<double> value = valueOf(row))
        plot_->appendPoint(curve.id, pointOf(row, *value));
    }
  };
  show(loss_, [](const EpochRow& row) { return std::optional(row.summary.loss); });
  show(displayed_, [](const EpochRow& row) { return std::optional(row.summary.lossAsDisplayed); });
  show(validation_,
       [](const EpochRow& row) { return EpochsModel::metricOf(row, QStringLiteral("val_loss")); });
}

void LossChart::refreshFacts() {
  const auto metric = QStringLiteral("val_loss");
  setLevel(curves_.baseline("constant", metric),
           baselineName("constant", curves_.facts().loss, metric));
  const RunFacts& facts = curves_.facts();
  plot_->setLive(!experiment::isTerminal(facts.state));
  if (stepsPerEpoch_ == facts.stepsPerEpoch) return;
  stepsPerEpoch_ = facts.stepsPerEpoch;
  for (const SeriesId id : {steps_, short_, loss_.id, displayed_.id, validation_.id, publishedLoss_,
                            publishedValidation_})
    if (id >= 0) plot_->setStepsPerEpoch(id, stepsPerEpoch_);
  for (const SeriesId id : bands_) plot_->setStepsPerEpoch(id, stepsPerEpoch_);
  plot_->setMarksStepsPerEpoch(stepsPerEpoch_);
}

void LossChart::setLevel(std::optional<double> value, const QString& name) {
  if (value == levelValue_) return;
  levelValue_ = value;
  if (level_ >= 0) plot_->removeSeries(level_);
  level_ = value ? plot_->addLevel(name, *value) : -1;
}

void LossChart::refreshMarks() {
  std::vector<PlotMark> marks;
  for (const RunMark& mark : curves_.marks())
    marks.push_back({.kind = kindOf(mark.kind),
                     .step = static_cast<double>(mark.step),
                     .seconds = mark.seconds,
                     .text = mark.text});
  if (const std::int64_t step = curves_.firstNonFinite(); step > 0)
    marks.push_back({.kind = PlotMarkKind::kNonFinite,
                     .step = static_cast<double>(step),
                     .seconds = curves_.facts().seconds,
                     .text = tr("The loss of step %1 is not finite").arg(step)});
  plot_->setMarks(std::move(marks));
}

MetricChart::MetricChart(const RunCurves& curves, const QString& metric, QWidget* parent)
    : QWidget(parent), curves_(curves), metric_(metric), plot_(new CurvePlot(metric, {}, this)) {
  auto* layout = verticalBox(this);
  layout->addWidget(plot_);
  plot_->setTable(&table_);
  connect(&curves_, &RunCurves::reset, this, &MetricChart::rebuild);
  connect(&curves_, &RunCurves::epochReplaced, this, [this] {
    // More rows than there are: those that were drawn are drawn anew.
    rows_ = std::numeric_limits<std::size_t>::max();
  });
  connect(&curves_, &RunCurves::epochsChanged, this, &MetricChart::refresh);
  connect(&curves_, &RunCurves::factsChanged, this, &MetricChart::refresh);
  rebuild();
}

void MetricChart::rebuild() {
  plot_->clear();
  table_.clear();
  values_ = plot_->addPoints(metric_, SeriesRole::kValidation);
  rows_ = 0;
  addReference();
  addSchedule();
  const experiment::Baselines& baselines = curves_.facts().baselines;
  baselines_ = baselines.size();
  for (const auto& [name, metrics] : baselines)
    if (const auto value = curves_.baseline(name, metric_))
      plot_->addLevel(baselineName(name, curves_.facts().loss, metric_), *value);
  refresh();
}

// Where only what a progress bar displayed was published, a chart of the true values shows that.
void MetricChart::addReference() {
  published_ = band_ = -1;
  const auto& reference = curves_.facts().reference;
  if (!reference) return;
  const std::string key = metric_.toStdString();
  const auto exact = experiment::publishedPoints(*reference, key);
  const auto displayed =
      experiment::publishedPoints(*reference, key + std::string(kDisplayedSuffix));
  if (exact.empty() && displayed.empty()) return;
  published_ = plot_->addPoints(exact.empty() ? tr("published, as displayed") : tr("published"),
                                SeriesRole::kReference, CurvePlot::AxisUse::kNone);
  plot_->setPoints(published_, publishedPoints(exact.empty() ? displayed : exact));
  const auto band = experiment::publishedBand(
      *reference, exact.empty() ? key + std::string(kDisplayedSuffix) : key);
  if (band.points.empty()) return;
  band_ = plot_->addPoints(tr("mean of %1 seeds ± 2 sd").arg(band.seeds), SeriesRole::kReference,
                           CurvePlot::AxisUse::kNone);
  plot_->setPoints(band_, bandPoints(band));
}

// The rate of every step is known before it is trained; epochs tell the rate at their end.
void MetricChart::addSchedule() {
  scheduled_.clear();
  scheduledSteps_ = curves_.facts().stepsPerEpoch * curves_.facts().totalEpochs;
  if (metric_ != kLearningRate) return;
  for (const RateCurve& curve : curves_.rates(kRatePoints)) {
    scheduled_.push_back(
        plot_->addPoints(tr("schedule of the %1").arg(curve.name), SeriesRole::kReference));
    std::vector<CurvePoint> points;
    for (const auto& [step, rate] : curve.points)
      points.push_back({.step = static_cast<double>(step + 1), .value = rate});
    plot_->setPoints(scheduled_.back(), std::move(points));
  }
}

void MetricChart::refresh() {
  // Baselines come with the start of a run, which may be after this chart was made.
  const RunFacts& facts = curves_.facts();
  if (baselines_ != facts.baselines.size() ||
      scheduledSteps_ != facts.stepsPerEpoch * facts.totalEpochs)
    return rebuild();
  const std::vector<EpochRow>& rows = curves_.epochs().rows();
  if (rows_ > rows.size()) {
    plot_->setPoints(values_, {});
    rows_ = 0;
  }
  for (; rows_ < rows.size(); ++rows_) {
    const EpochRow& row = rows[rows_];
    if (const auto value = rateOrMetric(row, metric_))
      plot_->appendPoint(values_, {static_cast<double>(row.summary.step),
                                   static_cast<double>(row.summary.epoch), row.atSeconds, *value});
  }
  for (const CurvePlot::SeriesId id : {values_, published_, band_})
    if (id >= 0) plot_->setStepsPerEpoch(id, facts.stepsPerEpoch);
  for (const CurvePlot::SeriesId id : scheduled_) plot_->setStepsPerEpoch(id, facts.stepsPerEpoch);
  plot_->setLive(!experiment::isTerminal(curves_.facts().state));
}

ChartGrid::ChartGrid(const RunCurves& curves, QWidget* parent)
    : QScrollArea(parent), curves_(curves) {
  auto* inside = new QWidget;
  grid_ = new QGridLayout(inside);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setSpacing(8);
  loss_ = new LossChart(curves_, inside);
  loss_->setMinimumHeight(kMinHeight);
  link_.add(&loss_->plot());
  setWidget(inside);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumHeight(kMinHeight);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(tr("Charts of the run"));
  setCharts({QStringLiteral("loss")});
}

void ChartGrid::setCharts(const QStringList& charts) {
  QStringList wanted = charts;
  wanted.removeDuplicates();
  wanted.removeAll(QString());
  wanted = wanted.mid(0, kMaxCharts);
  if (wanted == shown_) return;
  shown_ = wanted;
  std::erase_if(metrics_, [&](const auto& known) {
    if (shown_.contains(known.first)) return false;
    delete known.second;
    return true;
  });
  for (const QString& chart : shown_) {
    if (isLosses(chart) || metrics_.contains(chart)) continue;
    auto* made = new MetricChart(curves_, chart, widget());
    made->setMinimumHeight(kMinHeight);
    link_.add(&made->plot());
    metrics_.emplace(chart, made);
  }
  arrange();
}

void ChartGrid::arrange() {
  const int count = static_cast<int>(shown_.size());
  const int columns = count > 1 && viewport()->width() >= 2 * kMinWidth ? 2 : 1;
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  for (int i = 0; i < count; ++i) {
    const QString& chart = shown_[i];
    QWidget* shown = isLosses(chart) ? static_cast<QWidget*>(loss_) : metrics_.at(chart);
    // A last one alone takes the whole row.
    const bool alone = columns == 2 && i + 1 == count && i % 2 == 0;
    grid_->addWidget(shown, i / columns, i % columns, 1, alone ? 2 : 1);
    shown->show();
  }
  loss_->setVisible(shown_.contains(QStringLiteral("loss")));
  for (int column = 0; column < 2; ++column)
    grid_->setColumnStretch(column, column < columns ? 1 : 0);
}

MetricChart* ChartGrid::metric(const QString& metric) const {
  const auto found = metrics_.find(metric);
  return found == metrics_.end() ? nullptr : found->second;
}

CurvePlot& ChartGrid::plot(const QString& chart) {
  MetricChart* shown = metric(chart);
  return shown ? shown->plot() : loss_->plot();
}

CurveTableModel& ChartGrid::table(const QString& chart) {
  MetricChart* shown = metric(chart);
  return shown ? shown->table() : loss_->table();
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) arrange();
}

}  // namespace parapet::ui

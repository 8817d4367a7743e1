// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/metric_chart.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "engine/experiment/published_run.h"
#include "ui/models/run_curves_summary.h"
#include "ui/pages/train/published_points.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {
namespace {

constexpr std::string_view kDisplayedSuffix = "_as_displayed";
constexpr int kRatePoints = 400;

std::optional<double> rateOrMetric(const EpochRow& row, const QString& metric) {
  if (metric != kLearningRate) return EpochsModel::metricOf(row, metric);
  const double rate = row.summary.learningRate;
  return std::isfinite(rate) ? std::optional(rate) : std::nullopt;
}

}  // namespace

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
  // They come with the start of a run, which may be after this chart was made.
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

}  // namespace parapet::ui

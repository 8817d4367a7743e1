// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/metric_chart.h"

#include <QVBoxLayout>
#include <string_view>

#include "engine/experiment/published_points.h"
#include "ui/models/run_curves_summary.h"
#include "ui/pages/train/published_points.h"

namespace parapet::ui {
namespace {

constexpr std::string_view kDisplayedSuffix = "_as_displayed";

}  // namespace

MetricChart::MetricChart(const RunCurves& curves, const QString& metric, QWidget* parent)
    : QWidget(parent), curves_(curves), metric_(metric), plot_(new CurvePlot(metric, {}, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  plot_->setTable(&table_);
  connect(&curves_, &RunCurves::reset, this, &MetricChart::rebuild);
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
  const RunBaselines& baselines = curves_.facts().baselines;
  baselines_ = baselines.size();
  for (const auto& [name, metrics] : baselines)
    if (const auto value = curves_.baseline(name, metric_))
      plot_->addLevel(baselineName(name, curves_.facts().hasNegatives), *value);
  refresh();
}

// Where only what a progress bar displayed was published, a chart of the true values shows that.
void MetricChart::addReference() {
  published_ = -1;
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
}

void MetricChart::refresh() {
  // They come with the start of a run, which may be after this chart was made.
  if (baselines_ != curves_.facts().baselines.size()) return rebuild();
  const std::vector<EpochRow>& rows = curves_.epochs().rows();
  if (rows_ > rows.size()) {
    plot_->setPoints(values_, {});
    rows_ = 0;
  }
  for (; rows_ < rows.size(); ++rows_) {
    const EpochRow& row = rows[rows_];
    if (const auto value = EpochsModel::metricOf(row, metric_))
      plot_->appendPoint(values_, {static_cast<double>(row.summary.step),
                                   static_cast<double>(row.summary.epoch), row.atSeconds, *value});
  }
  for (const CurvePlot::SeriesId id : {values_, published_})
    if (id >= 0) plot_->setStepsPerEpoch(id, curves_.facts().stepsPerEpoch);
  plot_->setLive(!experiment::isTerminal(curves_.facts().state));
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/metric_chart.h"

#include <QVBoxLayout>

#include "ui/models/run_curves_summary.h"

namespace parapet::ui {

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
  const RunBaselines& baselines = curves_.facts().baselines;
  baselines_ = baselines.size();
  for (const auto& [name, metrics] : baselines)
    if (const auto value = curves_.baseline(name, metric_))
      plot_->addLevel(baselineName(name, curves_.facts().hasNegatives), *value);
  refresh();
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
  plot_->setStepsPerEpoch(values_, curves_.facts().stepsPerEpoch);
  plot_->setLive(!experiment::isTerminal(curves_.facts().state));
}

}  // namespace parapet::ui

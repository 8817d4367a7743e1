// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/run_curves.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_table_model.h"

namespace parapet::ui {

/// One metric of the epochs of a run, with what the baselines reach as levels and the published
/// values if the experiment names a run that has them; or kLearningRate, with the schedule.
class MetricChart : public QWidget {
  Q_OBJECT

 public:
  MetricChart(const RunCurves& curves, const QString& metric, QWidget* parent = nullptr);

  [[nodiscard]] CurvePlot& plot() { return *plot_; }
  [[nodiscard]] CurveTableModel& table() { return table_; }
  [[nodiscard]] const QString& metric() const { return metric_; }

 private:
  void rebuild();
  void addReference();
  void addSchedule();
  void refresh();

  const RunCurves& curves_;
  const QString metric_;
  CurveTableModel table_;
  CurvePlot* plot_;
  CurvePlot::SeriesId values_ = -1, published_ = -1, band_ = -1;
  std::vector<CurvePlot::SeriesId> scheduled_;
  std::int64_t scheduledSteps_ = 0;  ///< of the run, as the schedule was drawn
  std::size_t rows_ = 0;             ///< epochs the plot has been told of
  std::size_t baselines_ = 0;
};

}  // namespace parapet::ui

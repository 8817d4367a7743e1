// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGridLayout>
#include <QScrollArea>
#include <QWidget>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/published_run.h"
#include "ui/models/run_curves.h"
#include "ui/plots/chart_link.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_series.h"
#include "ui/plots/curve_table_model.h"

namespace parapet::ui {

/// The losses of a run as curves: every step, the epochs (true, and as Keras would have displayed
/// them), the validation, a published run if the experiment names one, and the constant as a level.
class LossChart : public QWidget {
  Q_OBJECT

 public:
  explicit LossChart(const RunCurves& curves, QWidget* parent = nullptr);

  [[nodiscard]] CurvePlot& plot() { return *plot_; }
  /// The numbers of the curves as a table.
  [[nodiscard]] CurveTableModel& table() { return table_; }

 signals:
  /// The steps from firstStep to lastStep are looked at closely.
  void detailWanted(qint64 firstStep, qint64 lastStep);

 private:
  using SeriesId = CurvePlot::SeriesId;
  /// A value per epoch and of how many epochs the plot has it.
  struct EpochCurve {
    SeriesId id = -1;
    std::size_t rows = 0;
  };

  void rebuild(const RunCurves::StepBuckets& steps);
  void addSteps(const RunCurves::StepBuckets& steps);
  void truncateAfter(std::int64_t step);
  void addReference();
  void refreshEpochs();
  void refreshFacts();
  void refreshMarks();
  void setLevel(std::optional<double> value, const QString& name);

  const RunCurves& curves_;
  CurveTableModel table_;
  CurvePlot* plot_;
  SeriesId steps_ = -1, short_ = -1;
  std::vector<CurvePoint> shortBatches_;  ///< losses of fewer candidates, apart from the line
  EpochCurve loss_, displayed_, validation_;
  SeriesId publishedLoss_ = -1, publishedValidation_ = -1;
  std::vector<SeriesId> bands_;  ///< of the published run's recipe over seeds
  SeriesId level_ = -1;
  std::optional<double> levelValue_;
  std::int64_t stepsPerEpoch_ = 0;
};

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

/// Points of a published run, which has epochs alone.
inline std::vector<CurvePoint> publishedPoints(
    std::span<const experiment::ReferenceCurve::Point> published) {
  std::vector<CurvePoint> points;
  for (const auto& [epoch, value] : published)
    points.push_back({.epoch = static_cast<double>(epoch), .value = value});
  return points;
}

/// The band of a published run's recipe over seeds, whose points are two standard deviations wide on either side.
inline std::vector<CurvePoint> bandPoints(const experiment::PublishedBand& band) {
  std::vector<CurvePoint> points;
  for (const auto& [epoch, mean, deviation] : band.points)
    points.push_back({.epoch = static_cast<double>(epoch),
                      .value = mean,
                      .low = mean - 2.0 * deviation,
                      .high = mean + 2.0 * deviation});
  return points;
}

/// One to four charts of a run beside and below each other, linked: the losses and metrics, each
/// with its own y axis. Below kMinHeight a chart is not readable; then the grid scrolls.
class ChartGrid : public QScrollArea {
  Q_OBJECT

 public:
  static constexpr int kMaxCharts = 4, kMinHeight = 240;

  explicit ChartGrid(const RunCurves& curves, QWidget* parent = nullptr);

  /// "loss" or keys of metrics, at most kMaxCharts; the first is the one that controls act on.
  void setCharts(const QStringList& charts);
  [[nodiscard]] const QStringList& charts() const { return shown_; }
  [[nodiscard]] LossChart& losses() { return *loss_; }
  /// Null while `metric` is not shown.
  [[nodiscard]] MetricChart* metric(const QString& metric) const;
  [[nodiscard]] CurvePlot& plot(const QString& chart);
  [[nodiscard]] CurveTableModel& table(const QString& chart);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void arrange();

  const RunCurves& curves_;
  QGridLayout* grid_;
  LossChart* loss_;
  std::map<QString, MetricChart*> metrics_;
  QStringList shown_;
  ChartLink link_;
};

}  // namespace parapet::ui

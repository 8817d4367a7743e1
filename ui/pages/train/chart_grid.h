// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGridLayout>
#include <QScrollArea>
#include <map>

#include "ui/pages/train/loss_chart.h"
#include "ui/pages/train/metric_chart.h"
#include "ui/plots/chart_link.h"

namespace parapet::ui {

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

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QWidget>
#include <nlohmann/json.hpp>

#include "ui/models/segments_model.h"
#include "ui/pages/train/batch_panel.h"
#include "ui/pages/train/chart_grid.h"
#include "ui/pages/train/curve_controls.h"
#include "ui/pages/train/lane_view.h"

namespace parapet::ui {

/// The curves of a run above the lanes of its devices, and the same as tables: the epochs, every
/// point, the shares of the lanes.
class CurvePanel : public QWidget {
  Q_OBJECT

 public:
  explicit CurvePanel(RunCurves& curves, QWidget* parent = nullptr);

  [[nodiscard]] CurvePlot& lossPlot() { return charts_->losses().plot(); }
  [[nodiscard]] CurveControls& controls() { return *controls_; }
  [[nodiscard]] LaneView& lanes() { return *lanes_; }
  /// Every point of the chart that is chosen.
  [[nodiscard]] CurveTableModel& points();
  /// The metric that is drawn, or nullptr while it is the losses.
  [[nodiscard]] MetricChart* metricChart() { return charts_->metric(controls_->chart()); }
  [[nodiscard]] ChartGrid& charts() { return *charts_; }
  void choose(const QString& chart);
  /// Shows the batch of a single step, in a view of its own.
  void showBatch(const experiment::BatchReport& report);
  [[nodiscard]] BatchPanel& batch() { return *batch_; }
  /// Whether what is shown cannot be made of fewer buckets than there are steps.
  [[nodiscard]] bool needsAllSteps() const;

  [[nodiscard]] nlohmann::json saveState() const { return controls_->saveState(); }
  void restoreState(const nlohmann::json& state) { controls_->restoreState(state); }

 signals:
  void failed(const QString& message);
  void exported(const QString& path);
  /// A part of the steps is looked at closely.
  void detailWanted(qint64 firstStep, qint64 lastStep);
  void allStepsWanted();
  /// They are about to be written.
  void allStepsWantedNow();

 private:
  enum View { kCurves, kEpochs, kPoints, kLanes, kSegments, kBatch };
  QTableView* table(QAbstractItemModel* model, const QString& name);
  void showView(int view);
  void showCharts();
  void offerCharts();
  void showSegments();
  [[nodiscard]] QStringList wantedCharts() const;
  void copyTable(const QTableView& table);

  RunCurves& curves_;
  QTabBar* tabs_;
  QStackedWidget* views_;
  CurveControls* controls_;
  ChartGrid* charts_;
  QTableView *epochs_, *points_, *lanesTable_;
  LaneView* lanes_;
  QLabel* cacheHits_;  ///< of tables in the host's memory; hidden without
  QLabel* replays_;    ///< by devices that record steps; hidden without
  BatchPanel* batch_;
  SegmentsModel segments_;
};

}  // namespace parapet::ui

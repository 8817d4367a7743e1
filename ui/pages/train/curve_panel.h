// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QObject>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QWidget>
#include <nlohmann/json.hpp>

#include "engine/experiment/batch_report.h"
#include "ui/models/epochs_model.h"
#include "ui/models/rows_model.h"
#include "ui/pages/train/chart_grid.h"
#include "ui/pages/train/curve_controls.h"
#include "ui/pages/train/lane_view.h"

namespace parapet::ui {

/// One training step as tables: its examples, its ids, what was sent to the shards, the terms of
/// the loss, and the norms of parameters and gradients.
class BatchTables : public QObject {
  Q_OBJECT

 public:
  explicit BatchTables(QObject* parent = nullptr);

  void setReport(const experiment::BatchReport& report);
  /// "Step 41 of epoch 3: 100 examples, loss 0.7132".
  [[nodiscard]] QString sentence() const { return sentence_; }
  /// The columns of the examples are those of the data; replaced by setReport().
  [[nodiscard]] ReportTableModel& examples() { return *examples_; }
  [[nodiscard]] ReportTableModel& features() { return features_; }
  [[nodiscard]] ReportTableModel& routes() { return routes_; }
  [[nodiscard]] ReportTableModel& losses() { return losses_; }
  [[nodiscard]] ReportTableModel& parameters() { return parameters_; }

 signals:
  void changed();

 private:
  QString sentence_;
  ReportTableModel* examples_;
  ReportTableModel features_, routes_, losses_, parameters_;
};

/// The batch of the last single step (F10), from its examples to the norms of its gradients.
class BatchPanel : public QScrollArea {
  Q_OBJECT

 public:
  explicit BatchPanel(QWidget* parent = nullptr);
  void show(const experiment::BatchReport& report);
  [[nodiscard]] BatchTables& tables() { return tables_; }

 private:
  struct Part {
    QWidget* title;
    QTableView* view;
    int maxRows;
  };
  Part addPart(const QString& title, const QString& tip, QAbstractItemModel& model, int maxRows);
  static void fit(const Part& part);

  BatchTables tables_;
  QLabel* sentence_;
  Part losses_, features_, routes_, parameters_, examples_;
};

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
  /// All steps are wanted now: a file of them is about to be written.
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

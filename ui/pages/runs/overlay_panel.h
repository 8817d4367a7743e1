// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QWidget>
#include <map>

#include "engine/store/run_store.h"
#include "ui/bridge/background.h"
#include "ui/models/epochs_model.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_table_model.h"

namespace parapet::ui {

/// One metric of several runs in one plot, by epoch, or the loss of their steps.
class OverlayPanel : public QWidget {
  Q_OBJECT

 public:
  struct Run {
    QString id, name;
    std::int64_t stepsPerEpoch = 0;
    bool operator==(const Run&) const = default;
  };

  explicit OverlayPanel(store::RunStore& store, QWidget* parent = nullptr);
  void setRuns(const std::vector<Run>& runs);
  /// Reads the runs again, whose epochs may be more by now.
  void refresh();
  [[nodiscard]] CurvePlot& plot() { return *plot_; }
  [[nodiscard]] QComboBox& metric() { return *metric_; }

 signals:
  void failed(const QString& message);
  void exported(const QString& path);
  /// The curve of a run was clicked.
  void runChosen(const QString& runId);

 private:
  struct Curves {
    Run run;
    std::vector<EpochRow> epochs;
    std::vector<experiment::StepBucket> steps;  ///< read while their loss is the metric
  };
  void build();
  [[nodiscard]] bool showsSteps() const;
  void choose();
  void offerMetrics();
  void makePlot();
  void draw();
  void exportPlot();

  store::RunStore& store_;
  std::vector<Run> runs_;
  std::vector<Curves> curves_;
  QComboBox *metric_, *axis_;
  QLabel* hint_;
  QString drawn_;                 ///< the metric of plot_
  std::map<int, QString> runOf_;  ///< by the series of plot_
  CurvePlot* plot_ = nullptr;
  Background reader_;
};

}  // namespace parapet::ui

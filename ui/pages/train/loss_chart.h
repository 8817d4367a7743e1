// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "ui/models/run_curves.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_table_model.h"

namespace parapet::ui {

/// The losses of a run as curves: every step, the epochs (true, and as Keras would have displayed
/// them), the validation, a published run if the experiment names one, and the constant as a level.
class LossChart : public QWidget {
  Q_OBJECT

 public:
  explicit LossChart(const RunCurves& curves, QWidget* parent = nullptr);

  [[nodiscard]] CurvePlot& plot() { return *plot_; }
  /// The same numbers as a table.
  [[nodiscard]] CurveTableModel& table() { return table_; }

 signals:
  /// These steps are looked at closely.
  void detailWanted(qint64 firstStep, qint64 lastStep);

 private:
  using SeriesId = CurvePlot::SeriesId;
  /// A value per epoch and of how many epochs the plot has it.
  struct EpochCurve {
    SeriesId id = -1;
    std::size_t rows = 0;
  };

  void rebuild(const RunCurves::StepBuckets& steps);
  void addReference();
  void refreshEpochs();
  void refreshFacts();
  void refreshMarks();
  void setLevel(std::optional<double> value, const QString& name);

  const RunCurves& curves_;
  CurveTableModel table_;
  CurvePlot* plot_;
  SeriesId steps_ = -1;
  EpochCurve loss_, displayed_, validation_;
  SeriesId publishedLoss_ = -1, publishedValidation_ = -1;
  std::vector<SeriesId> bands_;  ///< of the published run's recipe over seeds
  SeriesId level_ = -1;
  std::optional<double> levelValue_;
  std::int64_t stepsPerEpoch_ = 0;
};

}  // namespace parapet::ui

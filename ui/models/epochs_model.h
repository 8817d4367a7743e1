// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <limits>
#include <optional>
#include <vector>

#include "engine/experiment/run_event.h"

namespace parapet::ui {

/// A finished epoch and its time.
struct EpochRow {
  experiment::EpochSummary summary;
  /// Seconds since the run started training; NaN if not known.
  double atSeconds = std::numeric_limits<double>::quiet_NaN();
};

/// The epochs of a run, one a row: losses, metrics, times. Numbers come exact under Qt::EditRole.
/// Columns after the fixed ones are the metrics that occur, in the order in which they came.
class EpochsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    kEpoch,
    kStep,
    kLoss,
    kLossAsDisplayed,
    kLearningRate,
    kMsPerStep,
    kExamplesPerSecond,
    kSeconds,
    kFixedColumns,
  };
  using QAbstractTableModel::QAbstractTableModel;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

  void setEpochs(std::vector<EpochRow> rows);
  /// Appends an epoch, or replaces the one with the same number.
  void add(EpochRow row);
  /// Forgets epochs that ended after `step`.
  void truncateAfter(std::int64_t step);

  [[nodiscard]] const std::vector<EpochRow>& rows() const { return rows_; }
  /// Keys of metrics, e.g. "val_loss".
  [[nodiscard]] const QStringList& metrics() const { return metrics_; }
  [[nodiscard]] static std::optional<double> metricOf(const EpochRow& row, const QString& key);
  /// Of the last epoch that measured it.
  [[nodiscard]] std::optional<double> lastMetric(const QString& key) const;
  /// Of the last epoch that was validated against baselines; null if none was.
  [[nodiscard]] const std::vector<experiment::BaselineVerdict>* lastVerdicts() const;

 private:
  [[nodiscard]] double number(const EpochRow& row, int column) const;
  void addMetricsOf(const EpochRow& row);

  std::vector<EpochRow> rows_;
  QStringList metrics_;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <limits>
#include <optional>
#include <vector>

#include "engine/experiment/run_event.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// Metrics of lists by segment: a row for each value of each segment. Numbers come exact under
/// Qt::EditRole, with their standard error as a tool tip; columns after the fixed ones are the metrics.
class SegmentsModel : public RowsModel<experiment::SegmentMetrics> {
  Q_OBJECT

 public:
  enum FixedColumn { kSegment, kValue, kQueries, kFixedColumns };
  explicit SegmentsModel(QObject* parent = nullptr);

  void setSegments(std::vector<experiment::SegmentMetrics> segments);

 private:
  /// The fixed columns, and those of the metrics of these segments.
  [[nodiscard]] static std::vector<Column> columnsFor(
      const std::vector<experiment::SegmentMetrics>& segments);
  [[nodiscard]] static Column columnOf(const std::string& key, std::size_t metric);
};

/// A finished epoch and its time.
struct EpochRow {
  experiment::EpochSummary summary;
  /// Seconds since the run started training; NaN if not known.
  double atSeconds = std::numeric_limits<double>::quiet_NaN();
};

/// The epochs of a run, one a row: losses, metrics, times. Numbers come exact under Qt::EditRole.
/// Columns after the fixed ones are the metrics that occur, in the order in which they came.
class EpochsModel : public RowsModel<EpochRow> {
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
  explicit EpochsModel(QObject* parent = nullptr);

  void setEpochs(std::vector<EpochRow> rows);
  /// Appends an epoch, or replaces the one with the same number.
  void add(EpochRow row);
  /// Gives an epoch its verdicts, unless it has as many: an old account may come after a new one.
  void judge(std::int64_t epoch, const std::vector<experiment::BaselineVerdict>& verdicts);
  /// Puts a new validation in the place of the old one, as the store does. False if the epoch is not
  /// here or has these metrics; then its verdicts are given as by judge().
  bool measureAgain(const experiment::EpochMeasuredAgain& now);
  bool measureAgain(const experiment::EpochSummary& now);
  /// Forgets epochs that ended after `step`.
  void truncateAfter(std::int64_t step);

  /// Keys of metrics, e.g. "val_loss".
  [[nodiscard]] const QStringList& metrics() const { return metrics_; }
  [[nodiscard]] static std::optional<double> metricOf(const EpochRow& row, const QString& key);
  /// The value of the last epoch that measured the metric.
  [[nodiscard]] std::optional<double> lastMetric(const QString& key) const;
  /// The last epoch that was validated against baselines; null if none was.
  [[nodiscard]] const experiment::EpochSummary* lastValidated() const;

 private:
  void addMetricsOf(const EpochRow& row);

  QStringList metrics_;
};

}  // namespace parapet::ui

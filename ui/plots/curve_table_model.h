// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <cstdint>
#include <span>
#include <vector>

#include "ui/plots/curve_series.h"

namespace parapet::ui {

/// The values of a plot as a table, for reading without seeing it and for copying. Rows stand in
/// the order of arrival; live rows are only appended. Values are exact, under Qt::EditRole as
/// numbers.
class CurveTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    kSeries,
    kFirstStep,
    kLastStep,
    kEpoch,
    kSeconds,
    kMin,
    kMax,
    kLast,
    kNonFinite,
    kColumnCount,
  };
  explicit CurveTableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

  /// `series` is any number that names one curve in the calls below.
  void setSeriesName(int series, const QString& name);
  void append(int series, std::span<const experiment::StepBucket> buckets);
  void append(int series, std::span<const CurvePoint> points);
  /// Removes the step rows of a series that reach beyond `step`, as Pyramid::truncateAfter does.
  void truncateAfter(int series, std::int64_t step);
  void removeSeries(int series);
  void clear();

 private:
  /// Unknown numbers are NaN and shown as an empty cell.
  struct Row {
    int series;
    double firstStep, lastStep, epoch, seconds, min, max, last;
    std::int64_t nonFinite;
  };
  [[nodiscard]] static double number(const Row& row, int column);
  void appendRows(std::vector<Row> rows);
  template <class Predicate>
  void removeRowsIf(Predicate matches);

  std::vector<Row> rows_;
  std::vector<std::pair<int, QString>> names_;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "engine/experiment/segment_metrics.h"

namespace parapet::ui {

/// Metrics of lists by segment: a row for each value of each segment. Numbers come exact under
/// Qt::EditRole, with their standard error as a tool tip; columns after the fixed ones are the metrics.
class SegmentsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kSegment, kValue, kQueries, kFixedColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void setSegments(std::vector<experiment::SegmentMetrics> segments);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  [[nodiscard]] QVariant figure(const experiment::SegmentMetrics& row, std::size_t metric,
                                int role) const;

  std::vector<experiment::SegmentMetrics> segments_;
  QStringList metrics_;
};

}  // namespace parapet::ui

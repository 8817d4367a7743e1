// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/segments_model.h"

#include <cmath>

#include "ui/models/runs_format.h"

namespace parapet::ui {

using experiment::SegmentMetrics;

namespace {

double errorOf(const SegmentMetrics& row, std::size_t metric) {
  return metric < row.standardErrors.size() ? row.standardErrors[metric].second : std::nan("");
}

}  // namespace

SegmentsModel::SegmentsModel(QObject* parent) : RowsModel(parent) {
  setColumns(columnsFor({}));
}

void SegmentsModel::setSegments(std::vector<SegmentMetrics> segments) {
  if (segments == rows()) return;
  std::vector<Column> columns = columnsFor(segments);
  replaceAll(std::move(columns), std::move(segments));
}

std::vector<SegmentsModel::Column> SegmentsModel::columnsFor(
    const std::vector<SegmentMetrics>& segments) {
  std::vector<Column> columns{
      {.title = tr("Segment"),
       .text =
           [](const SegmentMetrics& row, int) {
             return row.segment == "activity" ? tr("user activity")
                                              : QString::fromStdString(row.segment);
           }},
      {.title = tr("Value"),
       .text =
           [](const SegmentMetrics& row, int) {
             return row.value.empty() ? tr("unknown") : QString::fromStdString(row.value);
           },
       .toolTip =
           [](const SegmentMetrics& row, int) {
             return row.segment == "activity" ? tr("Training rows of the user") : QString();
           }},
      {.title = tr("Queries"),
       .alignment = Qt::AlignRight,
       .text = [](const SegmentMetrics& row, int) { return countText(row.queries); },
       .value = [](const SegmentMetrics& row,
                   int) { return QVariant(static_cast<qlonglong>(row.queries)); }}};
  if (segments.empty()) return columns;
  for (std::size_t metric = 0; metric < segments.front().metrics.size(); ++metric)
    columns.push_back(columnOf(segments.front().metrics[metric].first, metric));
  return columns;
}

SegmentsModel::Column SegmentsModel::columnOf(const std::string& key, std::size_t metric) {
  return {.title = QString::fromStdString(key),
          .alignment = Qt::AlignRight,
          .text =
              [metric](const SegmentMetrics& row, int) {
                if (metric >= row.metrics.size()) return QString();
                const double value = row.metrics[metric].second, error = errorOf(row, metric);
                return std::isfinite(error)
                           ? QStringLiteral("%1 ± %2").arg(numberText(value), numberText(error, 2))
                           : numberText(value);
              },
          .value =
              [metric](const SegmentMetrics& row, int) {
                return metric < row.metrics.size() ? QVariant(row.metrics[metric].second)
                                                   : QVariant();
              },
          .toolTip =
              [metric](const SegmentMetrics& row, int) {
                const double error = errorOf(row, metric);
                return std::isfinite(error) ? tr("Standard error %1").arg(numberText(error))
                                            : tr("One user alone: the standard error is not known");
              }};
}

}  // namespace parapet::ui

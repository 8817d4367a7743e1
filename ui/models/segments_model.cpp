// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/segments_model.h"

#include <cmath>

#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {

void SegmentsModel::setSegments(std::vector<experiment::SegmentMetrics> segments) {
  if (segments == segments_) return;
  beginResetModel();
  segments_ = std::move(segments);
  metrics_.clear();
  if (!segments_.empty())
    for (const auto& [key, value] : segments_.front().metrics)
      metrics_ << QString::fromStdString(key);
  endResetModel();
}

int SegmentsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(segments_.size());
}

int SegmentsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kFixedColumns + static_cast<int>(metrics_.size());
}

QVariant SegmentsModel::figure(const experiment::SegmentMetrics& row, std::size_t metric,
                               int role) const {
  if (metric >= row.metrics.size()) return {};
  const double value = row.metrics[metric].second;
  const double error =
      metric < row.standardErrors.size() ? row.standardErrors[metric].second : std::nan("");
  if (role == Qt::EditRole) return value;
  if (role == Qt::ToolTipRole)
    return std::isfinite(error) ? tr("Standard error %1").arg(numberText(error))
                                : tr("One user alone: the standard error is not known");
  if (role != Qt::DisplayRole) return {};
  return std::isfinite(error)
             ? QStringLiteral("%1 ± %2").arg(numberText(value), numberText(error, 2))
             : numberText(value);
}

QVariant SegmentsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const experiment::SegmentMetrics& row = segments_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant((index.column() < kQueries ? Qt::AlignLeft : Qt::AlignRight) |
                    Qt::AlignVCenter);
  if (index.column() >= kFixedColumns)
    return figure(row, static_cast<std::size_t>(index.column() - kFixedColumns), role);
  if (role == Qt::ToolTipRole && index.column() == kValue && row.segment == "activity")
    return tr("Training rows of the user");
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  switch (index.column()) {
    case kSegment:
      return row.segment == "activity" ? tr("user activity") : shownText(row.segment);
    case kValue:
      return row.value.empty() ? tr("unknown") : shownText(row.value);
    default:
      return role == Qt::EditRole ? QVariant(static_cast<qlonglong>(row.queries))
                                  : QVariant(countText(row.queries));
  }
}

QVariant SegmentsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section < kQueries ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kSegment:
      return tr("Segment");
    case kValue:
      return tr("Value");
    case kQueries:
      return tr("Queries");
    default:
      return metrics_.value(section - kFixedColumns);
  }
}

}  // namespace parapet::ui

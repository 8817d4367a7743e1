// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_table_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parapet::ui {

int CurveTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CurveTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(kColumnCount);
}

double CurveTableModel::number(const Row& row, int column) {
  switch (column) {
    case kFirstStep:
      return row.firstStep;
    case kLastStep:
      return row.lastStep;
    case kEpoch:
      return row.epoch;
    case kSeconds:
      return row.seconds;
    case kMin:
      return row.min;
    case kMax:
      return row.max;
    case kLast:
      return row.last;
    default:
      return static_cast<double>(row.nonFinite);
  }
}

QVariant CurveTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(index.column() == kSeries ? Qt::AlignLeft | Qt::AlignVCenter
                                                         : Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  if (index.column() == kSeries) {
    for (const auto& [series, name] : names_)
      if (series == row.series) return name;
    return QString::number(row.series);
  }
  const double value = number(row, index.column());
  if (role == Qt::EditRole) return value;
  if (std::isnan(value)) return QString();
  // Six digits of what is measured are read; copies and files have all of them.
  const bool isCount = index.column() < kSeconds || index.column() == kNonFinite;
  return QString::fromStdString(isCount ? fmt::format("{}", value) : fmt::format("{:.6g}", value));
}

QVariant CurveTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole) return {};
  if (orientation == Qt::Vertical) return section + 1;
  switch (section) {
    case kSeries:
      return tr("Series");
    case kFirstStep:
      return tr("First step");
    case kLastStep:
      return tr("Last step");
    case kEpoch:
      return tr("Epoch");
    case kSeconds:
      return tr("Time [s]");
    case kMin:
      return tr("Minimum");
    case kMax:
      return tr("Maximum");
    case kLast:
      return tr("Last value");
    case kNonFinite:
      return tr("NaN or infinite");
    default:
      return {};
  }
}

void CurveTableModel::setSeriesName(int series, const QString& name) {
  const auto known = std::find_if(names_.begin(), names_.end(),
                                  [&](const auto& entry) { return entry.first == series; });
  if (known == names_.end()) {
    names_.emplace_back(series, name);
    return;
  }
  known->second = name;
  if (!rows_.empty())
    emit dataChanged(index(0, kSeries), index(static_cast<int>(rows_.size()) - 1, kSeries));
}

void CurveTableModel::append(int series, std::span<const experiment::StepBucket> buckets) {
  std::vector<Row> rows;
  rows.reserve(buckets.size());
  for (const experiment::StepBucket& bucket : buckets) {
    const bool finite = std::isfinite(bucket.last);
    rows.push_back({series, static_cast<double>(bucket.firstStep),
                    static_cast<double>(bucket.lastStep), static_cast<double>(bucket.epoch),
                    bucket.seconds, finite ? bucket.min : NAN, finite ? bucket.max : NAN,
                    finite ? bucket.last : NAN, bucket.nonFinite});
  }
  appendRows(std::move(rows));
}

void CurveTableModel::append(int series, std::span<const CurvePoint> points) {
  std::vector<Row> rows;
  rows.reserve(points.size());
  for (const CurvePoint& point : points) {
    const bool finite = std::isfinite(point.value);
    const double value = finite ? point.value : NAN;
    rows.push_back({series, point.step, point.step, point.epoch, point.seconds, value, value, value,
                    finite ? 0 : 1});
  }
  appendRows(std::move(rows));
}

void CurveTableModel::appendRows(std::vector<Row> rows) {
  if (rows.empty()) return;
  const int first = static_cast<int>(rows_.size());
  beginInsertRows({}, first, first + static_cast<int>(rows.size()) - 1);
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  endInsertRows();
}

/// Removes matching rows in runs from the end, each under its own begin/end call: views keep their
/// selection and position, which a reset would lose.
template <class Predicate>
void CurveTableModel::removeRowsIf(Predicate matches) {
  auto end = static_cast<std::ptrdiff_t>(rows_.size());
  while (end > 0) {
    while (end > 0 && !matches(rows_[static_cast<std::size_t>(end - 1)])) --end;
    std::ptrdiff_t begin = end;
    while (begin > 0 && matches(rows_[static_cast<std::size_t>(begin - 1)])) --begin;
    if (begin == end) break;
    beginRemoveRows({}, static_cast<int>(begin), static_cast<int>(end) - 1);
    rows_.erase(rows_.begin() + begin, rows_.begin() + end);
    endRemoveRows();
    end = begin;
  }
}

void CurveTableModel::truncateAfter(int series, std::int64_t step) {
  removeRowsIf([&](const Row& row) {
    return row.series == series && row.lastStep > static_cast<double>(step);
  });
}

void CurveTableModel::removeSeries(int series) {
  removeRowsIf([&](const Row& row) { return row.series == series; });
  std::erase_if(names_, [&](const auto& entry) { return entry.first == series; });
}

void CurveTableModel::clear() {
  beginResetModel();
  rows_.clear();
  names_.clear();
  endResetModel();
}

}  // namespace parapet::ui

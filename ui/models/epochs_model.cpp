// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/epochs_model.h"

#include <algorithm>
#include <cmath>

#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

QString keyOf(int column) {
  switch (column) {
    case EpochsModel::kEpoch:
      return QStringLiteral("epoch");
    case EpochsModel::kStep:
      return QStringLiteral("step");
    case EpochsModel::kLoss:
      return QStringLiteral("loss");
    case EpochsModel::kLossAsDisplayed:
      return QStringLiteral("loss_as_displayed");
    case EpochsModel::kLearningRate:
      return QStringLiteral("learning_rate");
    case EpochsModel::kMsPerStep:
      return QStringLiteral("ms_per_step");
    case EpochsModel::kExamplesPerSecond:
      return QStringLiteral("examples_per_second");
    default:
      return QStringLiteral("seconds");
  }
}

}  // namespace

int EpochsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int EpochsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kFixedColumns + static_cast<int>(metrics_.size());
}

double EpochsModel::number(const EpochRow& row, int column) const {
  const experiment::EpochSummary& epoch = row.summary;
  switch (column) {
    case kEpoch:
      return static_cast<double>(epoch.epoch);
    case kStep:
      return static_cast<double>(epoch.step);
    case kLoss:
      return epoch.loss;
    case kLossAsDisplayed:
      return epoch.lossAsDisplayed;
    case kLearningRate:
      return epoch.learningRate;
    case kMsPerStep:
      return epoch.msPerStep;
    case kExamplesPerSecond:
      return epoch.examplesPerSecond;
    case kSeconds:
      return epoch.seconds;
    default:
      return metricOf(row, metrics_.at(column - kFixedColumns)).value_or(NAN);
  }
}

QVariant EpochsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  const double value = number(rows_[static_cast<std::size_t>(index.row())], index.column());
  if (role == Qt::EditRole) return std::isnan(value) ? QVariant() : QVariant(value);
  switch (index.column()) {
    case kEpoch:
    case kStep:
      return countText(static_cast<std::int64_t>(value));
    case kExamplesPerSecond:
      return std::isfinite(value) ? countText(std::llround(value)) : numberText(value);
    case kMsPerStep:
    case kSeconds:
      return fixedText(value, 3);
    default:
      return numberText(value, 5);
  }
}

QVariant EpochsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::TextAlignmentRole && orientation == Qt::Horizontal)
    return int(Qt::AlignRight | Qt::AlignVCenter);
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == kFileKeyRole)
    return section < kFixedColumns ? keyOf(section) : metrics_.at(section - kFixedColumns);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kEpoch:
      return tr("epoch");
    case kStep:
      return tr("step");
    case kLoss:
      return tr("loss");
    case kLossAsDisplayed:
      return tr("as displayed");
    case kLearningRate:
      return tr("rate");
    case kMsPerStep:
      return tr("ms/step");
    case kExamplesPerSecond:
      return tr("examples/s");
    case kSeconds:
      return tr("seconds");
    default:
      return metrics_.at(section - kFixedColumns);
  }
}

std::optional<double> EpochsModel::metricOf(const EpochRow& row, const QString& key) {
  for (const auto& [name, value] : row.summary.metrics)
    if (key == QLatin1String(name.c_str()) && std::isfinite(value)) return value;
  return std::nullopt;
}

std::optional<double> EpochsModel::lastMetric(const QString& key) const {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
    if (const auto value = metricOf(*row, key)) return value;
  return std::nullopt;
}

const std::vector<experiment::BaselineVerdict>* EpochsModel::lastVerdicts() const {
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row)
    if (!row->summary.verdicts.empty()) return &row->summary.verdicts;
  return nullptr;
}

void EpochsModel::setEpochs(std::vector<EpochRow> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  metrics_.clear();
  for (const EpochRow& row : rows_)
    for (const auto& [name, value] : row.summary.metrics)
      if (const QString key = QString::fromStdString(name); !metrics_.contains(key))
        metrics_.append(key);
  endResetModel();
}

void EpochsModel::addMetricsOf(const EpochRow& row) {
  QStringList fresh;
  for (const auto& [name, value] : row.summary.metrics)
    if (const QString key = QString::fromStdString(name); !metrics_.contains(key)) fresh << key;
  if (fresh.isEmpty()) return;
  const int first = columnCount();
  beginInsertColumns({}, first, first + static_cast<int>(fresh.size()) - 1);
  metrics_ += fresh;
  endInsertColumns();
}

void EpochsModel::add(EpochRow row) {
  addMetricsOf(row);
  const auto next = std::ranges::lower_bound(
      rows_, row.summary.epoch, {}, [](const EpochRow& known) { return known.summary.epoch; });
  const int at = static_cast<int>(next - rows_.begin());
  if (next != rows_.end() && next->summary.epoch == row.summary.epoch) {
    *next = std::move(row);
    emit dataChanged(index(at, 0), index(at, columnCount() - 1));
    return;
  }
  beginInsertRows({}, at, at);
  rows_.insert(next, std::move(row));
  endInsertRows();
}

void EpochsModel::truncateAfter(std::int64_t step) {
  const auto end =
      std::ranges::find_if(rows_, [step](const EpochRow& row) { return row.summary.step > step; });
  if (end == rows_.end()) return;
  beginRemoveRows({}, static_cast<int>(end - rows_.begin()), rowCount() - 1);
  rows_.erase(end, rows_.end());
  endRemoveRows();
}

}  // namespace parapet::ui

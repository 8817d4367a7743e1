// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/comparison_model.h"

#include <QCoreApplication>
#include <QFont>
#include <algorithm>
#include <cmath>

#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

/// The best of the known values if there are two different ones, else NaN.
double bestOf(const workspace::Comparison::MetricRow& row) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : row.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low < high)) return NAN;
  return lowerIsBetter(QString::fromStdString(row.name)) ? low : high;
}

QString valueText(const nlohmann::json& value) {
  if (value.is_null()) return QStringLiteral("–");
  return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

void ComparisonModel::setComparison(workspace::Comparison comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  endResetModel();
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  return static_cast<int>(part_ == Part::kSettings ? comparison_.settings.size()
                                                   : comparison_.metrics.size());
}

int ComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 1 + static_cast<int>(comparison_.runs.size());
}

QVariant ComparisonModel::setting(int row, int column, int role) const {
  const auto& setting = comparison_.settings[static_cast<std::size_t>(row)];
  if (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::ToolTipRole) return {};
  if (column == 0) return QString::fromStdString(setting.pointer);
  const QString value = valueText(setting.values[static_cast<std::size_t>(column - 1)]);
  return role == Qt::EditRole ? value : shownText(value);
}

QVariant ComparisonModel::metric(int row, int column, int role) const {
  const auto& metric = comparison_.metrics[static_cast<std::size_t>(row)];
  if (column == 0)
    return role == Qt::DisplayRole || role == Qt::EditRole
               ? QVariant(QString::fromStdString(metric.name))
               : QVariant();
  const double value = metric.values[static_cast<std::size_t>(column - 1)];
  const bool best = value == bestOf(metric);
  switch (role) {
    case Qt::DisplayRole:
      return numberText(value, 5);
    case Qt::EditRole:
      return std::isfinite(value) ? QVariant(value) : QVariant();
    case Qt::ToolTipRole:
      return best ? QVariant(tr("The best of these runs")) : QVariant();
    case Qt::FontRole: {
      if (!best) return {};
      QFont font;
      font.setBold(true);
      return font;
    }
    default:
      return {};
  }
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == Qt::TextAlignmentRole)
    return int((index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return part_ == Part::kSettings ? setting(index.row(), index.column(), role)
                                  : metric(index.row(), index.column(), role);
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole)
    return int((section == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != kFileKeyRole) return {};
  if (section == 0)
    return role == kFileKeyRole
               ? (part_ == Part::kSettings ? QStringLiteral("setting") : QStringLiteral("metric"))
               : (part_ == Part::kSettings ? tr("Setting") : tr("Metric"));
  const store::RunRecord& run = comparison_.runs[static_cast<std::size_t>(section - 1)];
  if (role == kFileKeyRole) return QString::fromStdString(run.id);
  return tr("%1 · %2").arg(shownText(run.name), QString::fromStdString(run.id.substr(0, 4)));
}

QString overlapSentence(const workspace::Comparison& comparison) {
  const auto translated = [](const char* text) {
    return QCoreApplication::translate("parapet::ui::ComparisonModel", text);
  };
  if (!std::isfinite(comparison.meanOverlapAt10))
    return translated(
        "Lists are not compared: one of the first two runs has no checkpoint, or "
        "they share no users.");
  return translated("The first two runs share %1 of their top 10 (%2 %), over %3 users.")
      .arg(fixedText(10.0 * comparison.meanOverlapAt10, 1),
           fixedText(100.0 * comparison.meanOverlapAt10, 0), countText(comparison.overlapUsers));
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "engine/workspace/run_differences.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"
#include "ui/models/table_text.h"

namespace parapet::ui {
namespace {

constexpr std::array kFileKeys{"name",          "difference", "state",    "data",
                               "model",         "created_ms", "epochs",   "steps",
                               "best_val_loss", "last_loss",  "headline", "seconds",
                               "devices",       "recipe",     "id",       "notes"};
static_assert(kFileKeys.size() == RunsModel::kColumnCount);

QVariant known(double value) {
  return std::isnan(value) ? QVariant() : QVariant(value);
}

QString epochsText(const store::RunRecord& run) {
  return run.totalEpochs > 0
             ? QStringLiteral("%1 / %2").arg(countText(run.epochs), countText(run.totalEpochs))
             : countText(run.epochs);
}

bool sameText(const RunRow& a, const RunRow& b) {
  const store::RunRecord &x = a.record, &y = b.record;
  const auto same = [](double left, double right) {
    return left == right || (std::isnan(left) && std::isnan(right));
  };
  return x.name == y.name && x.state == y.state && x.notes == y.notes && x.error == y.error &&
         x.epochs == y.epochs && x.steps == y.steps && x.trashed == y.trashed &&
         x.seconds == y.seconds && x.totalEpochs == y.totalEpochs && x.recipe == y.recipe &&
         x.createdMs == y.createdMs && a.devices == b.devices && a.difference == b.difference &&
         same(a.lastLoss, b.lastLoss) && same(a.bestValLoss, b.bestValLoss) &&
         same(a.headline, b.headline) && a.headlineKey == b.headlineKey;
}

}  // namespace

int RunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant RunsModel::text(const RunRow& row, int column) const {
  const store::RunRecord& run = row.record;
  switch (column) {
    case kName:
      return QString::fromStdString(run.name);
    case kDifference:
      return row.difference;
    case kState:
      return stateText(run.state);
    case kData:
      return QString::fromStdString(workspace::dataNameOf(run));
    case kModel:
      return QString::fromStdString(workspace::modelNameOf(run));
    case kRecipe:
      return QString::fromStdString(run.recipe);
    case kId:
      return QString::fromStdString(run.id.substr(0, 6));
    case kCreated:
      return timeText(run.createdMs);
    case kEpochs:
      return epochsText(run);
    case kSteps:
      return countText(run.steps);
    case kBestValLoss:
      return numberText(row.bestValLoss);
    case kLastLoss:
      return numberText(row.lastLoss);
    case kHeadline:
      return std::isnan(row.headline)
                 ? numberText(NAN)
                 : tr("%1  %2").arg(QString::fromStdString(row.headlineKey.substr(4)),
                                    numberText(row.headline));
    case kSeconds:
      return run.seconds > 0.0 ? fixedText(run.seconds, 1) : numberText(NAN);
    case kDevices:
      return row.devices;
    default:
      return QString::fromStdString(run.notes);
  }
}

QVariant RunsModel::sortKey(const RunRow& row, int column) {
  const store::RunRecord& run = row.record;
  switch (column) {
    case kName:
      return QString::fromStdString(run.name);
    case kDifference:
      return row.difference.isEmpty() ? QVariant() : row.difference;
    case kState:
      return stateText(run.state);
    case kData:
      return QString::fromStdString(workspace::dataNameOf(run));
    case kModel:
      return QString::fromStdString(workspace::modelNameOf(run));
    case kRecipe:
      return QString::fromStdString(run.recipe);
    case kId:
      return QString::fromStdString(run.id);
    case kCreated:
      return qlonglong(run.createdMs);
    case kEpochs:
      return qlonglong(run.epochs);
    case kSteps:
      return qlonglong(run.steps);
    case kBestValLoss:
      return known(row.bestValLoss);
    case kLastLoss:
      return known(row.lastLoss);
    case kHeadline:
      return known(row.headline);
    case kSeconds:
      return run.seconds > 0.0 ? QVariant(run.seconds) : QVariant();
    case kDevices:
      return row.devices;
    default:
      return QString::fromStdString(run.notes);
  }
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const RunRow& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return shownText(text(row, column).toString());
    case Qt::EditRole:
    case kSortRole:
      return sortKey(row, column);
    case Qt::TextAlignmentRole:
      return int((column >= kEpochs && column <= kSeconds ? Qt::AlignRight : Qt::AlignLeft) |
                 Qt::AlignVCenter);
    case Qt::ToolTipRole:
      if (column == kName)
        return tr("Run %1. F2 renames it.").arg(QString::fromStdString(row.record.id));
      if (column == kId) return QString::fromStdString(row.record.id);
      if (column == kState) return adviceFor(row.record).why;
      if (column == kBestValLoss && row.bestEpoch > 0) return tr("In epoch %1").arg(row.bestEpoch);
      return shownText(text(row, column).toString());
    case kRunIdRole:
      return QString::fromStdString(row.record.id);
    case kTrashedRole:
      return row.record.trashed;
    case kStateRole:
      return static_cast<int>(row.record.state);
    default:
      return {};
  }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumnCount) return {};
  if (role == kFileKeyRole)
    return QString::fromLatin1(kFileKeys[static_cast<std::size_t>(section)]);
  if (role == Qt::TextAlignmentRole)
    return int((section >= kEpochs && section <= kSeconds ? Qt::AlignRight : Qt::AlignLeft) |
               Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && section == kDifference)
    return tr("In what the run differs from the others of its name");
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Name");
    case kDifference:
      return tr("Differs in");
    case kData:
      return tr("Data");
    case kModel:
      return tr("Model / loss");
    case kId:
      return tr("Id");
    case kState:
      return tr("State");
    case kRecipe:
      return tr("Recipe");
    case kCreated:
      return tr("Created");
    case kEpochs:
      return tr("Epochs");
    case kSteps:
      return tr("Steps");
    case kBestValLoss:
      return tr("Best val_loss");
    case kLastLoss:
      return tr("Last loss");
    case kHeadline:
      return tr("Metric");
    case kSeconds:
      return tr("Seconds");
    case kDevices:
      return tr("Devices");
    default:
      return tr("Notes");
  }
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (index.column() == kName || index.column() == kNotes) flags |= Qt::ItemIsEditable;
  return flags;
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  store::RunRecord& run = rows_[static_cast<std::size_t>(index.row())].record;
  const QString entered = value.toString().trimmed();
  if (index.column() == kName) {
    // A run without a name could not be told from another in a list.
    if (entered.isEmpty()) return false;
    run.name = entered.toStdString();
    emit dataChanged(index, index);
    emit renamed(QString::fromStdString(run.id), entered);
    return true;
  }
  if (index.column() != kNotes) return false;
  run.notes = entered.toStdString();
  emit dataChanged(index, index);
  emit notesChanged(QString::fromStdString(run.id), entered);
  return true;
}

void RunsModel::setRows(std::vector<RunRow> rows) {
  std::unordered_map<std::string, std::size_t> indices;
  for (std::size_t i = 0; i < rows.size(); ++i) indices.emplace(rows[i].record.id, i);
  for (int row = rowCount() - 1; row >= 0; --row) {
    if (indices.contains(rows_[static_cast<std::size_t>(row)].record.id)) continue;
    beginRemoveRows({}, row, row);
    rows_.erase(rows_.begin() + row);
    endRemoveRows();
  }
  // Runs keep their order: it is that of their creation. What is left of rows_ is in
  // the order of `rows`, so one pass merges the two.
  std::size_t at = 0;
  for (RunRow& row : rows) {
    const int here = static_cast<int>(at);
    if (at < rows_.size() && rows_[at].record.id == row.record.id) {
      const bool same = sameText(rows_[at], row);
      rows_[at] = std::move(row);
      if (!same) emit dataChanged(index(here, 0), index(here, kColumnCount - 1));
    } else {
      beginInsertRows({}, here, here);
      rows_.insert(rows_.begin() + here, std::move(row));
      endInsertRows();
    }
    ++at;
  }
  if (at == rows_.size()) return;
  beginRemoveRows({}, static_cast<int>(at), rowCount() - 1);
  rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(at), rows_.end());
  endRemoveRows();
}

const RunRow* RunsModel::find(const QString& runId) const {
  const std::string id = runId.toStdString();
  const auto found =
      std::ranges::find_if(rows_, [&](const RunRow& row) { return row.record.id == id; });
  return found == rows_.end() ? nullptr : &*found;
}

RunsFilter::RunsFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(RunsModel::kSortRole);
  setSortCaseSensitivity(Qt::CaseInsensitive);
  setSortLocaleAware(true);
}

void RunsFilter::setText(const QString& text) {
  words_ = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

void RunsFilter::setTrash(bool shown) {
  if (trash_ == shown) return;
  trash_ = shown;
  invalidateFilter();
}

bool RunsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex first = sourceModel()->index(row, 0, parent);
  if (first.data(RunsModel::kTrashedRole).toBool() != trash_) return false;
  QStringList fields{first.data(RunsModel::kRunIdRole).toString()};
  for (const int column :
       {RunsModel::kName, RunsModel::kDifference, RunsModel::kState, RunsModel::kData,
        RunsModel::kModel, RunsModel::kRecipe, RunsModel::kDevices, RunsModel::kNotes})
    fields << first.siblingAtColumn(column).data().toString();
  return std::ranges::all_of(words_, [&](const QString& word) {
    return std::ranges::any_of(
        fields, [&](const QString& field) { return field.contains(word, Qt::CaseInsensitive); });
  });
}

bool RunsFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(sortRole()), b = right.data(sortRole());
  // What is not known stands last, whichever way the column is sorted.
  if (a.isValid() != b.isValid())
    return sortOrder() == Qt::AscendingOrder ? a.isValid() : b.isValid();
  return QSortFilterProxyModel::lessThan(left, right);
}

}  // namespace parapet::ui

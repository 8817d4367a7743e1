// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/experiments_model.h"

#include <algorithm>

#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

using store::ExperimentRecord;

QString runsText(std::int64_t runs) {
  if (runs == 0) return ExperimentsModel::tr("no runs");
  return runs == 1 ? ExperimentsModel::tr("1 run")
                   : ExperimentsModel::tr("%1 runs", nullptr, static_cast<int>(runs))
                         .arg(countText(runs));
}

}  // namespace

ExperimentsModel::ExperimentsModel(WorkspaceExperiments& experiments, Content content,
                                   QObject* parent)
    : QAbstractTableModel(parent), experiments_(experiments), rows_(experiments.list()) {
  if (content == Content::kExperimentsAndRecipes) recipes_ = recipeSummaries();
  connect(&experiments_, &WorkspaceExperiments::listChanged, this, &ExperimentsModel::follow);
}

int ExperimentsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size()) + static_cast<int>(recipes_.size());
}

int ExperimentsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant ExperimentsModel::ofExperiment(const ExperimentRecord& record, int column,
                                        int role) const {
  const QString name = QString::fromStdString(record.title);
  const bool isOpen = experiments_.currentId() == QString::fromStdString(record.id);
  switch (role) {
    case Qt::DisplayRole:
      if (column == kName) return isOpen ? tr("%1 (open)").arg(shownText(name)) : shownText(name);
      if (column == kEdited) return timeText(record.modifiedMs);
      return runsText(record.runs);
    case Qt::EditRole:
      return column == kName ? QVariant(name) : QVariant();
    case Qt::ToolTipRole:
      return tr("%1 in commands. Edited %2, %3%4. F2 renames it.")
          .arg(shownText(record.name), timeText(record.modifiedMs), runsText(record.runs),
               record.origin.empty() ? QString()
                                     : tr(", made from %1").arg(shownText(record.origin)));
    case kIdRole:
      return QString::fromStdString(record.id);
    case kKindRole:
      return static_cast<int>(Kind::kExperiment);
    case kSearchRole:
      return name + QLatin1Char(' ') + QString::fromStdString(record.name) + QLatin1Char(' ') +
             QString::fromStdString(record.origin);
    default:
      return {};
  }
}

QVariant ExperimentsModel::ofRecipe(const RecipeSummary& recipe, int column, int role) {
  switch (role) {
    case Qt::DisplayRole:
      if (column == kName) return tr("New from %1").arg(shownText(recipe.name));
      return column == kEdited ? recipe.title : QString();
    case Qt::ToolTipRole:
      return tr("Makes a new experiment. %1.").arg(recipe.needs);
    case kIdRole:
      return recipe.name;
    case kKindRole:
      return static_cast<int>(Kind::kRecipe);
    case kSearchRole:
      return tr("New from recipe %1 %2").arg(recipe.name, recipe.title);
    default:
      return {};
  }
}

QVariant ExperimentsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto row = static_cast<std::size_t>(index.row());
  if (row < rows_.size()) return ofExperiment(rows_[row], index.column(), role);
  return ofRecipe(recipes_[index.row() - static_cast<int>(rows_.size())], index.column(), role);
}

QVariant ExperimentsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      return tr("Experiment");
    case kEdited:
      return tr("Edited");
    case kRuns:
      return tr("Runs");
    default:
      return {};
  }
}

Qt::ItemFlags ExperimentsModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (index.column() == kName && static_cast<std::size_t>(index.row()) < rows_.size())
    flags |= Qt::ItemIsEditable;
  return flags;
}

bool ExperimentsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable)) return false;
  const ExperimentRecord& record = rows_[static_cast<std::size_t>(index.row())];
  const QString name = value.toString().trimmed();
  if (name == QString::fromStdString(record.title)) return true;
  const Status renamed = experiments_.rename(QString::fromStdString(record.id), name);
  if (!renamed.ok()) emit refused(shownText(renamed.error().message));
  return renamed.ok();
}

void ExperimentsModel::follow() {
  const std::vector<ExperimentRecord>& now = experiments_.list();
  const bool sameRows =
      std::ranges::equal(now, rows_, {}, &ExperimentRecord::id, &ExperimentRecord::id);
  if (sameRows) {
    rows_ = now;
    if (!rows_.empty())
      emit dataChanged(index(0, 0), index(static_cast<int>(rows_.size()) - 1, kColumnCount - 1));
    return;
  }
  beginResetModel();
  rows_ = now;
  endResetModel();
}

void ExperimentsFilter::setText(const QString& text) {
  words_ = text.simplified().split(QLatin1Char(' '), Qt::SkipEmptyParts);
  invalidateFilter();
}

bool ExperimentsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QString text =
      sourceModel()->index(row, 0, parent).data(ExperimentsModel::kSearchRole).toString();
  return std::ranges::all_of(
      words_, [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace parapet::ui

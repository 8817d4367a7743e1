// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tables_model.h"

#include <QMimeData>
#include <algorithm>

#include "engine/base/text.h"
#include "ui/models/features_model.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
TablesModel::TablesModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/tables", parent) {
  addColumn("name", tr("Table"));
  addColumn("vocabulary", tr("Vocabulary"));
  addComputed(tr("Rows"), tr("Rows of the table, OOV rows included."));
  addColumn("embedding_dim", tr("Dim"));
  addComputed(tr("Weights"), tr("Bytes of the embeddings, counted once."));
  addComputed(tr("State"), tr("Bytes of the optimizer state of this table, counted once."));
  addComputed(tr("Read by"), tr("Features that look up this table."));
  addColumn("initializer", tr("Initializer"));
  addColumn("warm_start", tr("Warm start"));
  addColumn("optimizer", tr("Optimizer"));
  addColumn("combiner", tr("Combiner"));
  addColumn("placement", tr("Placement"));
  addColumn("axes", tr("Axes"));
  addColumn("device", tr("Device"));
  addColumn("cache_rows", tr("Cache rows"));
  addComputed(
      tr("Cache hits"),
      tr("Share of the rows of the steps of the last run that the devices had in their caches."));
  addColumn("trainable", tr("Trainable"));
}

nlohmann::json TablesModel::newEntry(int) const {
  const QString vocabulary = choices(kVocabulary).value(0, "user");
  return {{"name", freeName(vocabulary).toStdString()}, {"vocabulary", vocabulary.toStdString()}};
}

QString TablesModel::entryName() const {
  return tr("table");
}

void TablesModel::setEstimates(std::vector<workspace::TableEstimate> estimates) {
  estimates_ = std::move(estimates);
  if (rowCount() > 0) emit dataChanged(index(0, kRows), index(rowCount() - 1, kState));
}

void TablesModel::setCaches(std::vector<experiment::CacheUse> caches) {
  caches_ = std::move(caches);
  if (rowCount() > 0) emit dataChanged(index(0, kCacheHits), index(rowCount() - 1, kCacheHits));
}

QVariant TablesModel::cacheHits(int row, bool exact) const {
  const std::string name = index(row, kName).data(Qt::EditRole).toString().toStdString();
  const auto found = std::ranges::find(caches_, name, &experiment::CacheUse::table);
  if (found == caches_.end() || found->rows == 0) return exact ? QVariant() : "–";
  constexpr double kPercent = 100.0;
  if (exact) return found->hitRate();
  return tr("%1 %").arg(kPercent * found->hitRate(), 0, 'f', 1);
}

const workspace::TableEstimate* TablesModel::estimateOf(int row) const {
  const std::string name = index(row, kName).data(Qt::EditRole).toString().toStdString();
  const auto found = std::ranges::find(estimates_, name, &workspace::TableEstimate::name);
  return found == estimates_.end() ? nullptr : &*found;
}

QString TablesModel::readersOf(int row) const {
  const std::string name = index(row, kName).data(Qt::EditRole).toString().toStdString();
  QStringList readers;
  for (const experiment::Feature& feature : editor().experiment().features)
    if (feature.table == name && !name.empty()) readers << QString::fromStdString(feature.name);
  return readers.join(", ");
}

QVariant TablesModel::computed(int row, int column, int role) const {
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::AlignVCenter |
                               (column == kReaders ? Qt::AlignLeft : Qt::AlignRight));
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  const bool exact = role == Qt::EditRole;
  if (column == kReaders) {
    const QString readers = readersOf(row);
    return readers.isEmpty() && !exact ? tr("nothing") : readers;
  }
  if (column == kCacheHits) return cacheHits(row, exact);
  const workspace::TableEstimate* estimate = estimateOf(row);
  if (estimate == nullptr) return exact ? QVariant() : "–";
  if (estimate->rows < 0)
    return exact ? QVariant() : column == kRows ? tr("after import") : tr("unknown");
  const std::uint64_t bytes = column == kWeights ? estimate->weightBytes : estimate->slotBytes;
  if (exact)
    return column == kRows ? static_cast<qlonglong>(estimate->rows) : static_cast<qlonglong>(bytes);
  return column == kRows ? QString::fromStdString(formatCount(estimate->rows)) : bytesText(bytes);
}

/// "run 4b14b5 · item · step 640"; the table where it has another name, the step where it is one.
QString TablesModel::warmStartText(int row, const nlohmann::ordered_json& value) const {
  if (!value.is_object()) return tr("None");
  constexpr int kShownId = 6;
  QStringList parts{
      tr("run %1").arg(QString::fromStdString(value.value("run", std::string())).left(kShownId))};
  const auto& table = value.value("table", nlohmann::ordered_json());
  const QString own = index(row, kName).data(Qt::EditRole).toString();
  if (table.is_string() && QString::fromStdString(table.get<std::string>()) != own)
    parts << QString::fromStdString(table.get<std::string>());
  const auto& step = value.value("step", nlohmann::ordered_json());
  if (step.is_number_integer())
    parts << tr("step %1").arg(QString::fromStdString(formatCount(step.get<std::int64_t>())));
  return parts.join(QStringLiteral(" · "));
}

QString TablesModel::shownCell(int row, int column, const nlohmann::ordered_json& value) const {
  if (column == kWarmStart) return warmStartText(row, value);
  if (column == kCacheRows && value.is_null()) return tr("all");
  if (column == kAxes && value.is_array() && value.empty()) return tr("all");
  return DocumentRowsModel::shownCell(row, column, value);
}

Qt::ItemFlags TablesModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = DocumentRowsModel::flags(index);
  return index.isValid() ? flags | Qt::ItemIsDropEnabled : flags;
}

QStringList TablesModel::mimeTypes() const {
  return {QString::fromLatin1(kFeatureMime)};
}

bool TablesModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int,
                                  const QModelIndex& parent) const {
  return parent.isValid() && data->hasFormat(QString::fromLatin1(kFeatureMime));
}

bool TablesModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                               const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, column, parent)) return false;
  const QString table = index(parent.row(), kName).data(Qt::EditRole).toString();
  shareTable(editor(), data->data(QString::fromLatin1(kFeatureMime)).toInt(), table);
  return true;
}

int TablesModel::unknownTables() const {
  int unknown = 0;
  for (const workspace::TableEstimate& table : estimates_) unknown += table.rows < 0 ? 1 : 0;
  return unknown;
}

QString TablesModel::totals() const {
  QString text = rowCount() == 1 ? tr("1 table") : tr("%n tables", nullptr, rowCount());
  std::int64_t rows = 0;
  std::uint64_t weights = 0, state = 0;
  for (const workspace::TableEstimate& table : estimates_) {
    rows += std::max<std::int64_t>(0, table.rows);
    weights += table.weightBytes;
    state += table.slotBytes;
  }
  if (rows > 0)
    text +=
        tr(" · %1 rows · weights %2 · optimizer state %3")
            .arg(QString::fromStdString(formatCount(rows)), bytesText(weights), bytesText(state));
  if (const int unknown = unknownTables(); unknown > 0)
    text += tr(" · rows of %1 known after the import").arg(unknown);
  return text;
}

}  // namespace parapet::ui

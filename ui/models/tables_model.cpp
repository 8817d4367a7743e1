// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tables_model.h"

#include <algorithm>

#include "engine/base/text.h"

namespace parapet::ui {

TablesModel::TablesModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/tables", parent) {
  const auto add = [this](const char* key, const QString& title, const QString& namesFrom = {}) {
    addColumn({.key = key, .title = title, .namesFrom = namesFrom, .toolTip = {}});
  };
  add("name", tr("Table"));
  add("vocabulary", tr("Vocabulary"), "/dataset/vocabularies");
  add("embedding_dim", tr("Dim"));
  addColumn({.key = {},
             .title = tr("Rows"),
             .namesFrom = {},
             .toolTip = tr("Rows of the table, that of unknown ids included.")});
  addColumn({.key = {},
             .title = tr("Memory"),
             .namesFrom = {},
             .toolTip = tr("Weights and optimizer state, on one device.")});
  add("initializer", tr("Initial weights"));
  add("optimizer", tr("Optimizer"));
  add("combiner", tr("Combiner"));
  add("placement", tr("Placement"));
  add("trainable", tr("Trainable"));
}

nlohmann::json TablesModel::newEntry() const {
  const QString vocabulary = choices(kVocabulary).value(0, "user");
  return {{"name", freeName(vocabulary).toStdString()}, {"vocabulary", vocabulary.toStdString()}};
}

QString TablesModel::entryName() const {
  return tr("table");
}

void TablesModel::setEstimates(std::vector<workspace::TableEstimate> estimates) {
  estimates_ = std::move(estimates);
  if (rowCount() > 0) emit dataChanged(index(0, kRows), index(rowCount() - 1, kBytes));
}

QVariant TablesModel::computed(int row, int column, int role) const {
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | Qt::AlignRight);
  if (role != Qt::DisplayRole) return {};
  const std::string name = index(row, kName).data().toString().toStdString();
  const auto found = std::ranges::find(estimates_, name, &workspace::TableEstimate::name);
  if (found == estimates_.end()) return "–";
  if (found->rows < 0) return column == kRows ? tr("after import") : "–";
  return QString::fromStdString(column == kRows
                                    ? formatCount(found->rows)
                                    : formatBytes(found->weightBytes + found->slotBytes));
}

}  // namespace parapet::ui

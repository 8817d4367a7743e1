// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/features_model.h"

namespace parapet::ui {

FeaturesModel::FeaturesModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/features", parent) {
  addColumn({.key = "name", .title = tr("Feature"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "column",
             .title = tr("Column"),
             .namesFrom = "/dataset/vocabularies",
             .toolTip = {}});
  addColumn({.key = "table", .title = tr("Table"), .namesFrom = "/tables", .toolTip = {}});
  addColumn({.key = "tower", .title = tr("Tower"), .namesFrom = {}, .toolTip = {}});
}

nlohmann::json FeaturesModel::newEntry() const {
  const QStringList columns = choices(kColumn);
  const QStringList tables = choices(kTable);
  return {{"name", freeName(tr("feature")).toStdString()},
          {"column", columns.value(0, "user").toStdString()},
          {"table", tables.value(0, "user").toStdString()},
          {"tower", "query"}};
}

QString FeaturesModel::entryName() const {
  return tr("feature");
}

}  // namespace parapet::ui

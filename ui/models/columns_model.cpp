// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/columns_model.h"

namespace parapet::ui {

ColumnsModel::ColumnsModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/dataset/columns", parent) {
  addColumn({.key = "name", .title = tr("Column"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "role", .title = tr("Role"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "from", .title = tr("From"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "vocabulary",
             .title = tr("Vocabulary"),
             .namesFrom = "/dataset/vocabularies",
             .toolTip = {}});
  addColumn({.key = "separator", .title = tr("Separator"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "weights", .title = tr("Weights after"), .namesFrom = {}, .toolTip = {}});
}

nlohmann::json ColumnsModel::newEntry() const {
  return {{"name", freeName("feature").toStdString()}, {"role", "feature"}};
}

QString ColumnsModel::entryName() const {
  return tr("column");
}

DerivedModel::DerivedModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/dataset/derived", parent) {
  addColumn({.key = "name", .title = tr("Column"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "kind", .title = tr("Kind"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "from", .title = tr("From"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "bounds", .title = tr("Bounds"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "utc_offset_minutes",
             .title = tr("Minutes from UTC"),
             .namesFrom = {},
             .toolTip = {}});
}

nlohmann::json DerivedModel::newEntry() const {
  return {{"name", freeName("hour").toStdString()}, {"kind", "hour"}, {"from", "timestamp"}};
}

QString DerivedModel::entryName() const {
  return tr("derived column");
}

}  // namespace parapet::ui

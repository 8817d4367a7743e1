// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/columns_model.h"

namespace parapet::ui {

ColumnsModel::ColumnsModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/dataset/columns", parent) {
  addColumn("name", tr("Column"));
  addColumn("role", tr("Role"));
  addColumn("from", tr("From"));
  addColumn("vocabulary", tr("Vocabulary"));
  addColumn("separator", tr("Separator"));
  addColumn("weights", tr("Weights after"));
  addColumn("missing", tr("Empty cells"));
}

nlohmann::json ColumnsModel::newEntry(int) const {
  return {{"name", freeName("feature").toStdString()}, {"role", "feature"}};
}

QString ColumnsModel::entryName() const {
  return tr("column");
}

DerivedModel::DerivedModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/dataset/derived", parent) {
  addColumn("name", tr("Column"));
  addColumn("kind", tr("Kind"));
  addColumn("from", tr("From"));
  addColumn("bounds", tr("Bounds"));
  addColumn("utc_offset_minutes", tr("UTC offset [min]"));
}

nlohmann::json DerivedModel::newEntry(int) const {
  return {{"name", freeName("hour").toStdString()}, {"kind", "hour"}, {"from", "timestamp"}};
}

QString DerivedModel::entryName() const {
  return tr("derived column");
}

}  // namespace parapet::ui

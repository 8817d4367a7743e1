// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/vocabularies_model.h"

namespace parapet::ui {

VocabulariesModel::VocabulariesModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/dataset/vocabularies", parent) {
  addColumn({.key = "name", .title = tr("Column"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "kind", .title = tr("Kind"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "size", .title = tr("Rows"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "min_count", .title = tr("Least count"), .namesFrom = {}, .toolTip = {}});
}

nlohmann::json VocabulariesModel::newEntry() const {
  return {{"name", freeName("user").toStdString()}, {"kind", "direct"}, {"size", "auto"}};
}

QString VocabulariesModel::entryName() const {
  return tr("vocabulary");
}

}  // namespace parapet::ui

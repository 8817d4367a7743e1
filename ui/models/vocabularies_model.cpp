// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/vocabularies_model.h"

namespace parapet::ui {

VocabulariesModel::VocabulariesModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/dataset/vocabularies", parent) {
  addColumn("name", tr("Column"));
  addColumn("kind", tr("Kind"));
  addColumn("size", tr("Rows"));
  addColumn("min_count", tr("Min. count"));
  addColumn("oov", tr("OOV policy"));
  addColumn("oov_buckets", tr("OOV buckets"));
}

nlohmann::json VocabulariesModel::newEntry(int) const {
  return {{"name", freeName("user").toStdString()}, {"kind", "direct"}, {"size", "auto"}};
}

QString VocabulariesModel::entryName() const {
  return tr("vocabulary");
}

}  // namespace parapet::ui

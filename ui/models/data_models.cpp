// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/data_models.h"

#include "ui/models/document_text.h"

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

QStringList SideFilesModel::choicesAt(const QModelIndex& index) const {
  QStringList words = choices(index.column());
  const QString key = cellPointer(index).section(QLatin1Char('/'), -1);
  if (!info(index.column()).words.isEmpty() || key == QLatin1String("of")) return words;
  const nlohmann::ordered_json& entry = entries()[static_cast<std::size_t>(index.row())];
  const auto member = [&entry](const char* name) {
    return entry.is_object() && entry.contains(name) ? entry[name] : nlohmann::ordered_json();
  };
  QStringList columns;
  if (columnsOf_) columns = columnsOf_(shownValue(member("path")), member("format"));
  // The value of the document is offered, be it there or not.
  const nlohmann::ordered_json value = member(key.toUtf8().constData());
  if (value.is_string() && !columns.contains(shownValue(value))) columns << shownValue(value);
  if (value.is_array())
    for (const nlohmann::ordered_json& one : value)
      if (!columns.contains(shownValue(one))) columns << shownValue(one);
  return words + columns;
}

QString SideFilesModel::shownCell(int row, int column, const nlohmann::ordered_json& value) const {
  if (opensSettings(column)) return value.is_null() ? tr("found by itself") : tr("set by hand");
  return DocumentRowsModel::shownCell(row, column, value);
}

CataloguesModel::CataloguesModel(ExperimentEditor& editor, QObject* parent)
    : SideFilesModel(editor, QStringLiteral("/dataset/catalogues"), parent) {
  addColumn("path", tr("File"), ColumnKind::kFile);
  addColumn("of", tr("Tells of"));
  addColumn("id", tr("Column of ids"));
  addColumn("title", tr("Column of titles"));
  addColumn("columns", tr("Attributes"));
  addColumn("cold", tr("Entries without rows"));
  addColumn("format", tr("Text format"));
}

nlohmann::json CataloguesModel::newEntry(int) const {
  return {{"of", "item"}, {"path", ""}};
}

QString CataloguesModel::entryName() const {
  return tr("catalogue");
}

VectorsModel::VectorsModel(ExperimentEditor& editor, QObject* parent)
    : SideFilesModel(editor, QStringLiteral("/dataset/vectors"), parent) {
  addColumn("name", tr("Name"));
  addColumn("path", tr("File"), ColumnKind::kFile);
  addColumn("of", tr("Vocabulary"));
  addColumn("id", tr("Column of ids"));
  addColumn("column", tr("Column of vectors"));
  addColumn("ids", tr("Ids of an array"), ColumnKind::kFile);
}

nlohmann::json VectorsModel::newEntry(int) const {
  return {{"name", freeName(QStringLiteral("vectors")).toStdString()},
          {"of", "item"},
          {"path", ""},
          {"id", "id"}};
}

QString VectorsModel::entryName() const {
  return tr("file of vectors");
}

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

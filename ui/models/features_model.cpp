// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/features_model.h"

#include <QMimeData>
#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/fixes.h"
#include "engine/experiment/query_context.h"
#include "ui/models/document_edits.h"
#include "ui/models/document_names.h"
#include "ui/models/document_text.h"

namespace parapet::ui {
namespace {

using experiment::ColumnRole;

QString sizeText(std::int64_t size) {
  return size < 1 ? QStringLiteral("?") : QString::number(size);
}

const experiment::Column* columnOf(const experiment::Experiment& experiment,
                                   const std::string& name) {
  const auto& columns = experiment.dataset.columns;
  const auto found = std::ranges::find(columns, name, &experiment::Column::name);
  return found == columns.end() ? nullptr : &*found;
}

/// "" if the document names no items.
std::string itemColumn(const experiment::Experiment& experiment) {
  const auto& columns = experiment.dataset.columns;
  if (columns.empty()) return "item";
  const auto found = std::ranges::find(columns, ColumnRole::kItem, &experiment::Column::role);
  return found == columns.end() ? std::string() : found->name;
}

const experiment::Table* tableFor(const experiment::Experiment& experiment,
                                  const std::string& vocabulary) {
  const auto found =
      std::ranges::find(experiment.tables, vocabulary, &experiment::Table::vocabulary);
  return found == experiment.tables.end() ? nullptr : &*found;
}

}  // namespace

void shareTable(ExperimentEditor& editor, int feature, const QString& table) {
  editor.setValue(elementPointer(QStringLiteral("/features"), feature) + "/table",
                  table.toStdString(), FeaturesModel::tr("Share a table"));
}

std::int64_t batchRowsOf(const experiment::Experiment& experiment) {
  const experiment::Batch& batch = experiment.dataset.batch;
  if (batch.size) return *batch.size;
  const auto devices = experiment::expandDevices(experiment.mesh.devices);
  return batch.perDevice && devices ? *batch.perDevice * static_cast<std::int64_t>(devices->size())
                                    : 0;
}

QString shapeText(std::initializer_list<std::int64_t> sizes) {
  QStringList parts;
  for (const std::int64_t size : sizes) parts << sizeText(size);
  return '[' + parts.join(", ") + ']';
}

QString valueShapeText(std::int64_t rows, std::int64_t longest, std::int64_t width) {
  if (longest == 0) return shapeText({rows, width});
  return FeaturesModel::tr("[%1, ≤ %2, %3]")
      .arg(sizeText(rows), sizeText(longest), sizeText(width));
}

std::int64_t longestOf(const experiment::ModelShape& shape, experiment::ShapeIndex value) {
  const experiment::ShapeIndex sequence = shape.at(value).sequence;
  return sequence < 0 ? 0 : shape.at(sequence).longest;
}

std::int64_t longestOf(const experiment::Experiment& experiment,
                       const experiment::ModelShape& shape, const experiment::ShapeLayer& layer) {
  if (!layer.pointer.starts_with("/model/masked_layers/")) return longestOf(shape, layer.output);
  return experiment.model.masking.value_or(experiment::Masking{}).maxSelections;
}

FeaturesModel::FeaturesModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/features", parent) {
  addColumn("name", tr("Feature"));
  addColumn("column", tr("Column"));
  addColumn("table", tr("Table"));
  addColumn("tower", tr("Tower"));
  addColumn("history", tr("History"));
  addColumn("max_length", tr("Max. length"));
  addColumn("truncation_side", tr("Truncation side"));
  addColumn("weighted", tr("Weights"));
  addColumn("sequence", tr("Sequence"));
  addColumn("transform", tr("Transform"));
  addColumn("input_shape", tr("Input"));
  addColumn("output_shape", tr("Output"));
  addComputed(tr("Ids"), tr("Ids looked up in the run that is under way."));
  addComputed(tr("Truncated"),
              tr("Ids beyond the maximum length, dropped by the run that is under way."));
  addComputed(tr("OOV"), tr("Ids outside the vocabulary in the run that is under way."));
}

QString FeaturesModel::entryName() const {
  return tr("feature");
}

QStringList FeaturesModel::freeColumns() const {
  QStringList columns = readableColumns(editor().experiment());
  const experiment::Experiment& experiment = editor().experiment();
  for (const experiment::Feature& feature : experiment.features)
    if (!feature.history) columns.removeAll(QString::fromStdString(feature.column));
  // The target must not be seen.
  columns.removeAll(QString::fromStdString(experiment.dataset.label.column.value_or("")));
  for (const experiment::Head& head : experiment.model.heads)
    columns.removeAll(QString::fromStdString(head.label.value_or("")));
  return columns;
}

bool FeaturesModel::offersHistory() const {
  const experiment::Experiment& experiment = editor().experiment();
  return !experiment::readsHistory(experiment) && !itemColumn(experiment).empty();
}

bool FeaturesModel::isHistory(int addition) const {
  return offersHistory() && addition == freeColumns().size();
}

QStringList FeaturesModel::additions() const {
  QStringList texts;
  for (const QString& column : freeColumns()) texts << tr("Column %1").arg(column);
  if (offersHistory()) texts << tr("History of the user");
  return texts << tr("Another feature");
}

QString FeaturesModel::purposeOf(int addition) const {
  return isHistory(addition) ? tr("the items before the example") : QString();
}

int FeaturesModel::addRow(int addition) {
  const QString column = freeColumns().value(addition);
  if (column.isEmpty()) return DocumentRowsModel::addRow(addition);
  editor().replace(
      experiment::withFeature(nlohmann::json(editor().document()), column.toStdString()),
      tr("Add a feature of %1").arg(column));
  return rowCount() - 1;
}

/// The history reads the table of items.
void FeaturesModel::prepareAddition(int addition) {
  const experiment::Experiment& experiment = editor().experiment();
  const std::string* vocabulary =
      isHistory(addition) ? experiment.dataset.vocabularyOf(itemColumn(experiment)) : nullptr;
  if (vocabulary == nullptr || tableFor(experiment, *vocabulary)) return;
  editor().insertElement("/tables", static_cast<int>(experiment.tables.size()),
                         {{"name", *vocabulary}, {"vocabulary", *vocabulary}}, tr("Add a table"));
}

nlohmann::json FeaturesModel::newEntry(int addition) const {
  const experiment::Experiment& experiment = editor().experiment();
  if (isHistory(addition)) {
    const std::string items = itemColumn(experiment);
    const std::string* vocabulary = experiment.dataset.vocabularyOf(items);
    const experiment::Table* table = vocabulary ? tableFor(experiment, *vocabulary) : nullptr;
    const bool timed =
        experiment.dataset.columns.empty() ||
        std::ranges::find(experiment.dataset.columns, ColumnRole::kTime,
                          &experiment::Column::role) != experiment.dataset.columns.end();
    nlohmann::json history = nlohmann::json::object();
    if (!timed) history["order"] = "data";
    return {{"name", freeName(QStringLiteral("history")).toStdString()},
            {"column", items},
            {"table", table        ? table->name
                      : vocabulary ? *vocabulary
                                   : items},
            {"tower", "query"},
            {"history", history}};
  }
  const std::string column = readableColumns(experiment).value(0, "user").toStdString();
  const experiment::Column* about = columnOf(experiment, column);
  const bool isItem = about ? about->role == ColumnRole::kItem : column == "item";
  nlohmann::json entry{{"name", freeName(QString::fromStdString(column)).toStdString()},
                       {"column", column},
                       {"table", nullptr},
                       {"tower", isItem ? "candidate" : "query"}};
  if (const std::string* vocabulary = experiment.dataset.vocabularyOf(column)) {
    const experiment::Table* table = tableFor(experiment, *vocabulary);
    entry["table"] = table ? table->name : *vocabulary;
  }
  return entry;
}

Qt::ItemFlags FeaturesModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = DocumentRowsModel::flags(index);
  return index.isValid() ? flags | Qt::ItemIsDragEnabled : flags;
}

QStringList FeaturesModel::mimeTypes() const {
  return {QString::fromLatin1(kFeatureMime)};
}

QMimeData* FeaturesModel::mimeData(const QModelIndexList& indexes) const {
  if (indexes.isEmpty()) return nullptr;
  auto* data = new QMimeData;
  data->setData(QString::fromLatin1(kFeatureMime), QByteArray::number(indexes.front().row()));
  return data;
}

void FeaturesModel::setCounts(std::vector<experiment::FeatureUse> counts) {
  counts_ = std::move(counts);
  if (rowCount() > 0) emit dataChanged(index(0, kIds), index(rowCount() - 1, kUnknown));
}

const experiment::Feature* FeaturesModel::featureOf(int row) const {
  const auto& features = editor().experiment().features;
  return row < static_cast<int>(features.size()) ? &features[static_cast<std::size_t>(row)]
                                                 : nullptr;
}

QString FeaturesModel::inputShape(int row) const {
  const experiment::Feature* feature = featureOf(row);
  if (feature == nullptr) return {};
  const std::int64_t rows = batchRowsOf(editor().experiment());
  if (feature->history)
    return tr("[%1, ≤ %2]").arg(sizeText(rows), sizeText(feature->history->length));
  const experiment::Column* column = columnOf(editor().experiment(), feature->column);
  if (column == nullptr || !column->separator) return shapeText({rows});
  // How long the longest bag is, only the data know.
  return feature->maxLength ? tr("[%1, ≤ %2]").arg(sizeText(rows), sizeText(*feature->maxLength))
                            : tr("[%1, any]").arg(sizeText(rows));
}

QString FeaturesModel::outputShape(int row) const {
  const experiment::Feature* feature = featureOf(row);
  if (feature == nullptr) return {};
  const auto& tables = editor().experiment().tables;
  const auto table = std::ranges::find(tables, feature->table, &experiment::Table::name);
  std::int64_t width = feature->table.empty() ? 1 : 0;
  if (!feature->table.empty() && table != tables.end()) {
    const QString pointer = elementPointer("/tables", static_cast<int>(table - tables.begin()));
    // A width that could not be read stands at its default.
    const bool sound = editor().findingsAt(pointer + "/embedding_dim").problems.empty();
    width = sound ? table->embeddingDim : 0;
  }
  const auto longest = feature->history ? feature->history->length : feature->maxLength.value_or(1);
  return valueShapeText(batchRowsOf(editor().experiment()), feature->sequence ? longest : 0, width);
}

// "last 20", "last 20 within 3600 s, all rows"; what was written wrongly is shown as it stands.
QString FeaturesModel::shownHistory(const nlohmann::ordered_json& value) const {
  if (!value.is_object()) return value.is_null() ? QStringLiteral("–") : shownValue(value);
  const auto member = [&](const char* key) {
    return value.contains(key) ? shownValue(value[key]) : QString();
  };
  const QString length =
      value.contains("length") ? member("length") : QString::number(experiment::History{}.length);
  QStringList parts{tr("last %1").arg(length)};
  if (!member("within_seconds").isEmpty()) parts << tr("within %1 s").arg(member("within_seconds"));
  if (member("rows") == QLatin1String("all")) parts << tr("all rows");
  if (member("order") == QLatin1String("data")) parts << tr("order of the data");
  return parts.join(QStringLiteral(", "));
}

QString FeaturesModel::shownCell(int row, int column, const nlohmann::ordered_json& value) const {
  if (column == kInput || column == kOutput) {
    if (value.is_array()) return '[' + shownValue(value) + ']';
    if (value.is_null()) return column == kInput ? inputShape(row) : outputShape(row);
  }
  if (column == kHistory) return shownHistory(value);
  if (column == kMaxLength && value.is_null()) {
    const experiment::Feature* feature = featureOf(row);
    return feature && feature->history ? QStringLiteral("–") : tr("all");
  }
  return DocumentRowsModel::shownCell(row, column, value);
}

QVariant FeaturesModel::computed(int row, int column, int role) const {
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | Qt::AlignRight);
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  const std::string name = index(row, kName).data(Qt::EditRole).toString().toStdString();
  const auto counts = std::ranges::find(counts_, name, &experiment::FeatureUse::name);
  if (counts == counts_.end()) return role == Qt::EditRole ? QVariant() : "–";
  const std::int64_t count = column == kIds         ? counts->ids
                             : column == kTruncated ? counts->truncated
                                                    : counts->oov;
  if (role == Qt::EditRole) return static_cast<qlonglong>(count);
  return QString::fromStdString(formatCount(count));
}

}  // namespace parapet::ui

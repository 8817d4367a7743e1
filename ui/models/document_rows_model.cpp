// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_rows_model.h"

#include <QGuiApplication>
#include <algorithm>

#include "ui/models/document_edits.h"
#include "ui/models/document_text.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;
using Type = FieldInfo::Type;

// Faint enough for text on it to stay readable, light or dark.
constexpr int kTintAlpha = 45;

Json listOf(const ExperimentEditor& editor, const QString& pointer) {
  Json list = editor.value(pointer);
  return list.is_array() ? list : Json::array();
}

QVariant alignmentOf(Type type) {
  const bool number = type == Type::kInteger || type == Type::kNumber;
  return QVariant::fromValue(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
}

}  // namespace

DocumentRowsModel::DocumentRowsModel(ExperimentEditor& editor, QString arrayPointer,
                                     QObject* parent)
    : QAbstractTableModel(parent),
      editor_(editor),
      arrayPointer_(std::move(arrayPointer)),
      entries_(listOf(editor, arrayPointer_)) {
  connect(&editor, &ExperimentEditor::documentChanged, this, &DocumentRowsModel::follow);
  connect(&editor, &ExperimentEditor::findingsChanged, this, &DocumentRowsModel::touchAll);
}

void DocumentRowsModel::addColumn(Column column) {
  FieldInfo info;
  if (!column.key.isEmpty()) info = fieldInfo(elementPointer(arrayPointer_, 0) + '/' + column.key);
  columns_.push_back({std::move(column), std::move(info)});
}

int DocumentRowsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

int DocumentRowsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant DocumentRowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical)
    return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
  if (section < 0 || section >= columnCount()) return {};
  const Described& described = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return described.column.title;
  if (role == Qt::TextAlignmentRole) return alignmentOf(described.info.type);
  if (role == Qt::ToolTipRole)
    return described.column.key.isEmpty() ? described.column.toolTip : described.info.toolTip();
  return {};
}

Qt::ItemFlags DocumentRowsModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const Described& described = columns_[static_cast<std::size_t>(index.column())];
  const Qt::ItemFlags seen = Qt::ItemIsSelectable | Qt::ItemIsEnabled;
  if (described.column.key.isEmpty()) return seen;
  return seen | (described.info.type == Type::kFlag ? Qt::ItemIsUserCheckable : Qt::ItemIsEditable);
}

Json DocumentRowsModel::valueOf(const QModelIndex& index) const {
  const Json& entry = entries_[static_cast<std::size_t>(index.row())];
  const std::string key =
      columns_[static_cast<std::size_t>(index.column())].column.key.toStdString();
  return entry.is_object() && entry.contains(key) ? entry[key] : Json();
}

QString DocumentRowsModel::cellPointer(const QModelIndex& index) const {
  const QString row = elementPointer(arrayPointer_, index.row());
  const QString& key = columns_[static_cast<std::size_t>(index.column())].column.key;
  return key.isEmpty() ? row : row + '/' + key;
}

QModelIndex DocumentRowsModel::indexOf(const QString& pointer) const {
  if (!pointer.startsWith(arrayPointer_ + '/')) return {};
  const QStringList tokens = pointer.mid(arrayPointer_.size() + 1).split('/');
  bool isNumber = false;
  const int row = tokens[0].toInt(&isNumber);
  if (!isNumber || row < 0 || row >= rowCount()) return {};
  const QString key = tokens.value(1);
  for (int column = 0; column < columnCount(); ++column)
    if (columns_[static_cast<std::size_t>(column)].column.key == key && !key.isEmpty())
      return index(row, column);
  return index(row, 0);
}

experiment::Findings DocumentRowsModel::findingsOf(const QModelIndex& index) const {
  experiment::Findings found;
  if (!columns_[static_cast<std::size_t>(index.column())].column.key.isEmpty())
    found = editor_.findingsAt(cellPointer(index));
  if (index.column() != 0) return found;
  // What concerns the row, or keys without a column, has no cell of its own.
  const QString row = elementPointer(arrayPointer_, index.row());
  const experiment::Findings below = editor_.findingsAt(row);
  const auto take = [&](const auto& from, auto& to) {
    for (const experiment::Problem& problem : from) {
      const QString pointer = QString::fromStdString(problem.pointer);
      const QModelIndex cell = indexOf(pointer);
      const bool elsewhere = cell.column() != 0 || pointer.startsWith(cellPointer(index) + '/') ||
                             pointer == cellPointer(index);
      if (!elsewhere) to.push_back(problem);
    }
  };
  take(below.problems, found.problems);
  take(below.warnings, found.warnings);
  return found;
}

QVariant DocumentRowsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role == kPointerRole) return cellPointer(index);
  const Described& described = columns_[static_cast<std::size_t>(index.column())];
  if (role == Qt::ToolTipRole || role == Qt::DecorationRole || role == Qt::BackgroundRole ||
      role == kSeverityRole || role == Qt::AccessibleDescriptionRole) {
    const experiment::Findings findings = findingsOf(index);
    const Severity severity = severityOf(findings);
    if (role == kSeverityRole) return static_cast<int>(severity);
    if (role == Qt::ToolTipRole && severity == Severity::kNone)
      return described.column.key.isEmpty() ? described.column.toolTip : described.info.toolTip();
    if (role == Qt::AccessibleDescriptionRole || role == Qt::ToolTipRole)
      return findingsText(findings);
    if (severity == Severity::kNone) return {};
    const QPalette palette = QGuiApplication::palette();
    if (role == Qt::DecorationRole) return severityIcon(palette, severity);
    QColor tint = severityColor(palette, severity);
    tint.setAlpha(kTintAlpha);
    return tint;
  }
  return described.column.key.isEmpty() ? computed(index.row(), index.column(), role)
                                        : documentData(index, role);
}

QVariant DocumentRowsModel::documentData(const QModelIndex& index, int role) const {
  const FieldInfo& about = info(index.column());
  if (role == Qt::TextAlignmentRole) return alignmentOf(about.type);
  const Json value = valueOf(index);
  if (about.type == Type::kFlag && value.is_boolean()) {
    if (role == Qt::CheckStateRole) return value.get<bool>() ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::EditRole) return value.get<bool>();
    return role == Qt::AccessibleTextRole ? QVariant(value.get<bool>() ? tr("yes") : tr("no"))
                                          : QVariant();
  }
  if (role == Qt::DisplayRole)
    return about.type == Type::kObject ? shownSettings(value) : shownValue(value);
  if (role != Qt::EditRole) return {};
  if (value.is_number_integer()) return QVariant::fromValue(value.get<qlonglong>());
  return shownValue(value);
}

bool DocumentRowsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  const Described& described = columns_[static_cast<std::size_t>(index.column())];
  const Type type = described.info.type;
  if (described.column.key.isEmpty() || type == Type::kObject) return false;
  nlohmann::json next;
  if (type == Type::kFlag && (role == Qt::CheckStateRole || role == Qt::EditRole)) {
    next = role == Qt::CheckStateRole ? value.toInt() == Qt::Checked : value.toBool();
  } else if (role == Qt::EditRole) {
    next = typedValue(value.toString(), described.info);
  } else {
    return false;
  }
  editor_.setValue(cellPointer(index), next,
                   tr("Change %1 of a %2").arg(described.column.title.toLower(), entryName()));
  return true;
}

QStringList DocumentRowsModel::choices(int column) const {
  const Described& described = columns_[static_cast<std::size_t>(column)];
  if (described.column.namesFrom.isEmpty()) return described.info.words;
  QStringList names;
  for (const Json& entry : listOf(editor_, described.column.namesFrom))
    if (entry.is_object() && entry.contains("name")) names << shownValue(entry["name"]);
  return names;
}

bool DocumentRowsModel::offersChoices(int column) const {
  const Described& described = columns_[static_cast<std::size_t>(column)];
  return !described.column.namesFrom.isEmpty() || !described.info.words.isEmpty();
}

const FieldInfo& DocumentRowsModel::info(int column) const {
  return columns_[static_cast<std::size_t>(column)].info;
}

QString DocumentRowsModel::freeName(const QString& wanted) const {
  const auto taken = [this](const QString& name) {
    return std::ranges::any_of(entries_, [&](const Json& entry) {
      return entry.is_object() && entry.contains("name") && shownValue(entry["name"]) == name;
    });
  };
  QString name = wanted;
  for (int number = 2; taken(name); ++number) name = wanted + '-' + QString::number(number);
  return name;
}

int DocumentRowsModel::addRow() {
  editor_.insertElement(arrayPointer_, rowCount(), newEntry(), tr("Add a %1").arg(entryName()));
  return rowCount() - 1;
}

int DocumentRowsModel::duplicateRow(int row) {
  if (row < 0 || row >= rowCount()) return -1;
  nlohmann::json copy = entries_[static_cast<std::size_t>(row)];
  if (copy.is_object() && copy.contains("name"))
    copy["name"] =
        freeName(shownValue(entries_[static_cast<std::size_t>(row)]["name"])).toStdString();
  editor_.insertElement(arrayPointer_, row + 1, copy, tr("Duplicate a %1").arg(entryName()));
  return row + 1;
}

void DocumentRowsModel::removeRowAt(int row) {
  editor_.removeElement(arrayPointer_, row, tr("Remove a %1").arg(entryName()));
}

void DocumentRowsModel::follow() {
  replaceEntries(listOf(editor_, arrayPointer_));
}

void DocumentRowsModel::replaceEntries(Json next) {
  const auto before = static_cast<int>(entries_.size());
  const auto after = static_cast<int>(next.size());
  const auto same = std::ranges::mismatch(entries_, next).in1 - entries_.begin();
  const int first = static_cast<int>(same);
  if (after > before) {
    beginInsertRows({}, first, first + after - before - 1);
    entries_ = std::move(next);
    endInsertRows();
  } else if (after < before) {
    beginRemoveRows({}, first, first + before - after - 1);
    entries_ = std::move(next);
    endRemoveRows();
  } else {
    entries_ = std::move(next);
  }
  if (first < after && columnCount() > 0)
    emit dataChanged(index(first, 0), index(after - 1, columnCount() - 1));
}

void DocumentRowsModel::touchAll() {
  if (rowCount() > 0 && columnCount() > 0)
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

}  // namespace parapet::ui

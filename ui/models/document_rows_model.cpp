// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/document_rows_model.h"

#include <QGuiApplication>
#include <algorithm>

#include "ui/models/document_edits.h"
#include "ui/models/document_names.h"
#include "ui/models/document_text.h"
#include "ui/models/document_words.h"
#include "ui/models/setting_names.h"

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

void DocumentRowsModel::addColumn(const char* key, const QString& title, ColumnKind kind) {
  const QString pointer = elementPointer(arrayPointer_, 0) + '/' + key;
  columns_.push_back({.key = key,
                      .title = title,
                      .toolTip = {},
                      .kind = kind,
                      .info = fieldInfo(pointer),
                      .absent = absentWord(pointer)});
}

void DocumentRowsModel::addComputed(const QString& title, const QString& toolTip, ColumnKind kind) {
  columns_.push_back({.key = {}, .title = title, .toolTip = toolTip, .kind = kind});
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
  const Column& about = column(section);
  if (role == Qt::DisplayRole) return about.title;
  if (role == Qt::TextAlignmentRole)
    return about.kind == ColumnKind::kComputed ? computed(-1, section, role)
                                               : alignmentOf(about.info.type);
  if (role == Qt::ToolTipRole) return about.key.isEmpty() ? about.toolTip : about.info.toolTip();
  return {};
}

Qt::ItemFlags DocumentRowsModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const Column& about = column(index.column());
  const Qt::ItemFlags seen = Qt::ItemIsSelectable | Qt::ItemIsEnabled;
  if (about.kind == ColumnKind::kComputed) return seen;
  return seen | (about.info.type == Type::kFlag ? Qt::ItemIsUserCheckable : Qt::ItemIsEditable);
}

Json DocumentRowsModel::valueOf(const QModelIndex& index) const {
  const Json& entry = entries_[static_cast<std::size_t>(index.row())];
  const std::string key = column(index.column()).key.toStdString();
  if (key.empty()) return entry;
  return entry.is_object() && entry.contains(key) ? entry[key] : Json();
}

QString DocumentRowsModel::cellPointer(const QModelIndex& index) const {
  const QString row = elementPointer(arrayPointer_, index.row());
  const QString& key = column(index.column()).key;
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
    if (columns_[static_cast<std::size_t>(column)].key == key && !key.isEmpty())
      return index(row, column);
  return index(row, 0);
}

experiment::Findings DocumentRowsModel::findingsOf(const QModelIndex& index) const {
  experiment::Findings found;
  if (!column(index.column()).key.isEmpty()) found = editor_.findingsAt(cellPointer(index));
  if (index.column() != 0) return found;
  // A finding about the row, or about keys without a column, has no cell of its own.
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
  const Column& about = column(index.column());
  if (role == Qt::ToolTipRole || role == Qt::DecorationRole || role == Qt::BackgroundRole ||
      role == kSeverityRole || role == Qt::AccessibleDescriptionRole) {
    const experiment::Findings findings = findingsOf(index);
    const Severity severity = severityOf(findings);
    if (role == kSeverityRole) return static_cast<int>(severity);
    if (role == Qt::ToolTipRole && severity == Severity::kNone)
      return about.key.isEmpty() ? about.toolTip : about.info.toolTip();
    if (role == Qt::AccessibleDescriptionRole || role == Qt::ToolTipRole)
      return findingsText(findings);
    if (severity == Severity::kNone) return {};
    const QPalette palette = QGuiApplication::palette();
    if (role == Qt::DecorationRole) return severityIcon(palette, severity);
    QColor tint = severityColor(palette, severity);
    tint.setAlpha(kTintAlpha);
    return tint;
  }
  return about.kind == ColumnKind::kComputed ? computed(index.row(), index.column(), role)
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
  if (role == Qt::DisplayRole) return shownCell(index.row(), index.column(), value);
  if (role != Qt::EditRole) return {};
  if (opensSettings(index.column())) return shownCell(index.row(), index.column(), value);
  if (value.is_null()) return column(index.column()).absent;
  if (value.is_number_integer()) return QVariant::fromValue(value.get<qlonglong>());
  return shownValue(value);
}

QString DocumentRowsModel::shownCell(int, int columnIndex, const Json& value) const {
  if (value.is_null() && !column(columnIndex).absent.isEmpty()) return column(columnIndex).absent;
  if (info(columnIndex).type == Type::kWord) return valueName(shownValue(value));
  return opensSettings(columnIndex) ? shownSettings(value) : shownValue(value);
}

bool DocumentRowsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  const Column& about = column(index.column());
  const Type type = about.info.type;
  if (about.key.isEmpty() || type == Type::kObject) return false;
  nlohmann::json next;
  if (type == Type::kFlag && (role == Qt::CheckStateRole || role == Qt::EditRole)) {
    next = role == Qt::CheckStateRole ? value.toInt() == Qt::Checked : value.toBool();
  } else if (role == Qt::EditRole) {
    const bool absent = !about.absent.isEmpty() && value.toString() == about.absent;
    if (!absent) next = typedValue(value.toString(), about.info);
  } else {
    return false;
  }
  editor_.setValue(cellPointer(index), next,
                   tr("Change %1 of a %2").arg(insideSentence(about.title), entryName()));
  return true;
}

QStringList DocumentRowsModel::choices(int columnIndex) const {
  const Column& about = column(columnIndex);
  const auto names = namesAt(editor_, elementPointer(arrayPointer_, 0) + '/' + about.key);
  if (!names) return about.info.words;
  return about.absent.isEmpty() ? *names : *names + QStringList{about.absent};
}

bool DocumentRowsModel::offersChoices(int columnIndex) const {
  const Column& about = column(columnIndex);
  return !about.info.words.isEmpty() ||
         (!about.key.isEmpty() &&
          namesAt(editor_, elementPointer(arrayPointer_, 0) + '/' + about.key));
}

const FieldInfo& DocumentRowsModel::info(int columnIndex) const {
  return column(columnIndex).info;
}

bool DocumentRowsModel::namesFile(int columnIndex) const {
  return column(columnIndex).kind == ColumnKind::kFile;
}

bool DocumentRowsModel::opensSettings(int columnIndex) const {
  const Column& about = column(columnIndex);
  return about.kind == ColumnKind::kSettings || about.info.type == Type::kObject;
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

int DocumentRowsModel::addRow(int addition) {
  const QString what = tr("Add a %1").arg(entryName());
  editor_.undoStack().beginMacro(what);
  prepareAddition(addition);
  editor_.insertElement(arrayPointer_, rowCount(), newEntry(addition), what);
  editor_.undoStack().endMacro();
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

bool DocumentRowsModel::moveRow(int from, int to) {
  if (std::min(from, to) < 0 || std::max(from, to) >= rowCount()) return false;
  editor_.moveElement(arrayPointer_, from, to, tr("Move a %1").arg(entryName()));
  return true;
}

void DocumentRowsModel::follow() {
  prepare();
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

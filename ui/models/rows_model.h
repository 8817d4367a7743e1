// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <QVariant>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "ui/bridge/shown_text.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

/// The texts of one column of a RowsModel about a row.
template <class Row>
struct RowsColumn {
  QString title;
  const char* fileKey = "";  ///< in exported files; "": the title
  QString tip{};             ///< of the header
  Qt::Alignment alignment = Qt::AlignLeft;
  /// For people; control characters are made visible by the model. Null: the value.
  std::function<QString(const Row& row, int index)> text{};
  /// Exact, for sorting and files (Qt::EditRole); null: the text.
  std::function<QVariant(const Row& row, int index)> value{};
  std::function<QString(const Row& row, int index)> toolTip{};  ///< of a cell
};

/// A table of rows, described by its columns. The block that every such model repeats: counts,
/// roles, alignment, header, file keys. Rows are replaced as a whole or, where a view must keep its
/// selection, changed one by one.
///
///   struct Found : RowsModel<UserSummary> {
///     Found() : RowsModel({{.title = tr("User"), .fileKey = "user", .text = …}}) {}
///   };
///
/// Thread   GUI.
template <class Row>
class RowsModel : public QAbstractTableModel {
 public:
  using Column = RowsColumn<Row>;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    const Column& column = columns_[static_cast<std::size_t>(index.column())];
    switch (role) {
      case Qt::DisplayRole:
        return shownCell(column, row, index.row());
      case Qt::EditRole:
        return column.value ? column.value(row, index.row())
                            : QVariant(column.text(row, index.row()));
      case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter | column.alignment);
      case Qt::ToolTipRole:
        if (column.toolTip) return shownText(column.toolTip(row, index.row()));
        return more(row, index.column(), role);
      default:
        return more(row, index.column(), role);
    }
  }
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column& column = columns_[static_cast<std::size_t>(section)];
    switch (role) {
      case Qt::DisplayRole:
        return column.title;
      case Qt::ToolTipRole:
        return column.tip.isEmpty() ? QVariant() : column.tip;
      case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter | column.alignment);
      case kFileKeyRole:
        return column.fileKey[0] == '\0' ? QVariant() : QString::fromLatin1(column.fileKey);
      default:
        return {};
    }
  }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 protected:
  explicit RowsModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  void setColumns(std::vector<Column> columns) { columns_ = std::move(columns); }
  void replaceRows(std::vector<Row> rows) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }
  /// Replaces the rows and the columns.
  void replaceAll(std::vector<Column> columns, std::vector<Row> rows) {
    beginResetModel();
    columns_ = std::move(columns);
    rows_ = std::move(rows);
    endResetModel();
  }
  void insertRowsAt(int at, std::vector<Row> rows) {
    if (rows.empty()) return;
    beginInsertRows({}, at, at + static_cast<int>(rows.size()) - 1);
    rows_.insert(rows_.begin() + at, std::make_move_iterator(rows.begin()),
                 std::make_move_iterator(rows.end()));
    endInsertRows();
  }
  void removeRowsAt(int at, int count) {
    if (count <= 0) return;
    beginRemoveRows({}, at, at + count - 1);
    rows_.erase(rows_.begin() + at, rows_.begin() + at + count);
    endRemoveRows();
  }
  void insertRowAt(int at, Row row) {
    std::vector<Row> one;
    one.push_back(std::move(row));
    insertRowsAt(at, std::move(one));
  }
  void changeRow(int at, Row row) {
    recordAt(at) = std::move(row);
    emit dataChanged(index(at, 0), index(at, columnCount() - 1));
  }
  void appendColumns(std::vector<Column> columns) {
    if (columns.empty()) return;
    const int first = columnCount();
    beginInsertColumns({}, first, first + static_cast<int>(columns.size()) - 1);
    for (Column& column : columns) columns_.push_back(std::move(column));
    endInsertColumns();
  }
  /// A caller that changes a row in place tells the views.
  [[nodiscard]] Row& recordAt(int at) { return rows_[static_cast<std::size_t>(at)]; }
  [[nodiscard]] const Row& recordAt(int at) const { return rows_[static_cast<std::size_t>(at)]; }
  /// Tooltips and roles of its own.
  [[nodiscard]] virtual QVariant more(const Row&, int /*column*/, int /*role*/) const { return {}; }

 private:
  [[nodiscard]] static QVariant shownCell(const Column& column, const Row& row, int index) {
    if (column.text) return shownText(column.text(row, index));
    QVariant value = column.value(row, index);
    return value.userType() == QMetaType::QString ? QVariant(shownText(value.toString())) : value;
  }

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// A finished table: titles and rows, replaced as a whole. Numeric columns are aligned right.
class ReportTableModel : public RowsModel<std::vector<QVariant>> {
  Q_OBJECT

 public:
  using Row = std::vector<QVariant>;

  /// `numeric`: the numeric columns.
  ReportTableModel(const QStringList& titles, const QList<int>& numeric, QObject* parent = nullptr);
  /// Each row has a value per title.
  void setRows(std::vector<Row> rows) { replaceRows(std::move(rows)); }

 protected:
  [[nodiscard]] QVariant more(const Row& row, int column, int role) const override;
};

}  // namespace parapet::ui

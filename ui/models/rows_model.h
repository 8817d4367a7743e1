// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <functional>
#include <utility>
#include <vector>

#include "ui/bridge/shown_text.h"
#include "ui/models/table_text.h"

namespace parapet::ui {

/// What one column of a RowsModel says about a row.
template <class Row>
struct RowsColumn {
  QString title;
  const char* fileKey = "";  ///< in exported files
  QString tip{};             ///< of the header
  Qt::Alignment alignment = Qt::AlignLeft;
  /// For people; control characters are made visible by the model.
  std::function<QString(const Row& row, int index)> text{};
  /// Exact, for sorting and files (Qt::EditRole); null: the text.
  std::function<QVariant(const Row& row, int index)> value{};
};

/// A table whose rows are replaced as a whole, described by its columns. The block that every such
/// model repeats: counts, roles, alignment, header, file keys.
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
        return shownText(column.text(row, index.row()));
      case Qt::EditRole:
        return column.value ? column.value(row, index.row())
                            : QVariant(column.text(row, index.row()));
      case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::AlignVCenter | column.alignment);
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
        return QString::fromLatin1(column.fileKey);
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
  /// Tooltips and roles of its own.
  [[nodiscard]] virtual QVariant more(const Row&, int /*column*/, int /*role*/) const { return {}; }

 private:
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace parapet::ui

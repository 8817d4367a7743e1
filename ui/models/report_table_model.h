// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

namespace parapet::ui {

/// A finished table: titles and rows, replaced as a whole. Numeric columns are aligned right.
class ReportTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using Row = std::vector<QVariant>;

  /// `numeric`: the numeric columns.
  ReportTableModel(QStringList titles, QList<int> numeric, QObject* parent = nullptr);
  /// Each row has a value per title.
  void setRows(std::vector<Row> rows);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;

 private:
  QStringList titles_;
  QList<int> numeric_;
  std::vector<Row> rows_;
};

}  // namespace parapet::ui

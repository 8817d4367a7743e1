// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QVariant>
#include <vector>

#include "ui/models/rows_model.h"

namespace parapet::ui {

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

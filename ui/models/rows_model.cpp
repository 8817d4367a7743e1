// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/rows_model.h"

namespace parapet::ui {

ReportTableModel::ReportTableModel(const QStringList& titles, const QList<int>& numeric,
                                   QObject* parent)
    : RowsModel(parent) {
  std::vector<Column> columns;
  for (int i = 0; i < titles.size(); ++i)
    columns.push_back(
        {.title = titles[i],
         .alignment = numeric.contains(i) ? Qt::AlignRight : Qt::AlignLeft,
         .value = [at = static_cast<std::size_t>(i)](const Row& row, int) { return row[at]; }});
  setColumns(std::move(columns));
}

QVariant ReportTableModel::more(const Row& row, int column, int role) const {
  return role == Qt::ToolTipRole ? row[static_cast<std::size_t>(column)] : QVariant();
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/report_view.h"

#include <QHeaderView>
#include <algorithm>

#include "ui/forms/table_actions.h"

namespace parapet::ui {

QTableView* makeReportView(QAbstractItemModel& model, const QString& name, QWidget* parent) {
  auto* view = new QTableView(parent);
  view->setModel(&model);
  view->setAccessibleName(name);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setShowGrid(false);
  view->setAlternatingRowColors(true);
  view->verticalHeader()->hide();
  addTableActions(*view);
  view->hide();
  return view;
}

void fitRows(QTableView& view, int maxRows) {
  const int rows = std::min(view.model()->rowCount(), maxRows);
  int height = view.horizontalHeader()->sizeHint().height() + 2 * view.frameWidth();
  for (int row = 0; row < rows; ++row) height += view.rowHeight(row);
  view.setFixedHeight(height);
  view.setVisible(rows > 0);
}

}  // namespace parapet::ui

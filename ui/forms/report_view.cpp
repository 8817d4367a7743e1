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
  view.setFixedHeight(view.horizontalHeader()->sizeHint().height() +
                      rows * view.verticalHeader()->defaultSectionSize() + 2 * view.frameWidth());
  view.setVisible(rows > 0);
}

}  // namespace parapet::ui

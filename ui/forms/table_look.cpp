// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/table_look.h"

#include <QHeaderView>
#include <algorithm>

namespace parapet::ui {

void setTableLook(QTableView& table, const QString& accessibleName) {
  constexpr int kRowHeight = 28;
  table.setShowGrid(false);
  table.setAlternatingRowColors(true);
  table.setWordWrap(false);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(kRowHeight);
  table.horizontalHeader()->setHighlightSections(false);
  table.setAccessibleName(accessibleName);
}

void fitTableColumns(QTableView& table, int longest) {
  constexpr int kRoomAround = 20, kMaxWidth = 320;
  QHeaderView& header = *table.horizontalHeader();
  table.resizeColumnsToContents();
  for (int column = 0; column < table.model()->columnCount(); ++column) {
    const int wanted = header.sectionSize(column) + kRoomAround;
    header.resizeSection(column, column == longest ? std::min(wanted, kMaxWidth) : wanted);
  }
}

}  // namespace parapet::ui

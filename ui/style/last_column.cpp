// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/last_column.h"

#include <QEvent>
#include <QHeaderView>
#include <algorithm>

namespace parapet::ui {

LastColumn::LastColumn(QTableView& table) : QObject(&table), table_(table) {
  table.viewport()->installEventFilter(this);
  table.horizontalHeader()->viewport()->installEventFilter(this);
}

void LastColumn::watch(QTableView& table) {
  if (table.findChild<LastColumn*>(QString(), Qt::FindDirectChildrenOnly) == nullptr)
    new LastColumn(table);
}

bool LastColumn::anotherStretches(const QTableView& table) {
  const QHeaderView& header = *table.horizontalHeader();
  for (int section = 0; section < header.count(); ++section)
    if (header.sectionResizeMode(section) == QHeaderView::Stretch) return true;
  return false;
}

int LastColumn::widthOf(const QWidget* widget, int column, int width) {
  const auto* table = qobject_cast<const QTableView*>(widget);
  if (table == nullptr && widget != nullptr)
    table = qobject_cast<const QTableView*>(widget->parentWidget());
  const auto* last =
      table == nullptr ? nullptr
                       : table->findChild<const LastColumn*>(QString(), Qt::FindDirectChildrenOnly);
  return last == nullptr || last->column_ != column ? width : std::min(width, last->needed_);
}

bool LastColumn::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Paint) measure();
  return QObject::eventFilter(watched, event);
}

void LastColumn::measure() {
  const QHeaderView& header = *table_.horizontalHeader();
  column_ = -1;
  if (table_.model() == nullptr || !header.stretchLastSection() || header.isHidden()) return;
  int visual = header.count() - 1;
  while (visual >= 0 && header.isSectionHidden(header.logicalIndex(visual))) --visual;
  if (visual < 0) return;
  const int column = header.logicalIndex(visual);
  // Room for the arrow of a column that is sorted by is a part of what its title wants.
  needed_ = std::max(header.sectionSizeHint(column),
                     static_cast<const QAbstractItemView&>(table_).sizeHintForColumn(column));
  column_ = column;
}

}  // namespace parapet::ui

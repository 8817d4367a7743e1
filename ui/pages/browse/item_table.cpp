// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/item_table.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>

#include "ui/forms/table_actions.h"
#include "ui/models/table_text.h"
#include "ui/pages/browse/list_delegate.h"

namespace parapet::ui {

ItemTable::ItemTable(QAbstractItemModel* model, const QString& name, QWidget* parent)
    : QTableView(parent) {
  setModel(model);
  setItemDelegate(new ListDelegate(this));
  setAccessibleName(name);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setTextElideMode(Qt::ElideRight);
  setTabKeyNavigation(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollMode(ScrollPerPixel);
  setVerticalScrollMode(ScrollPerPixel);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setMinimumSectionSize(28);
  connect(this, &QTableView::doubleClicked, this,
          [this](const QModelIndex& index) { emit opened(index.row()); });
}

void ItemTable::setColumns(int stretched, const QList<std::pair<int, int>>& characters) {
  constexpr int kPadding = 16;
  for (const auto& [column, count] : characters) {
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::Interactive);
    // A header is never cut, whatever the font.
    const int words =
        fontMetrics().horizontalAdvance(model()->headerData(column, Qt::Horizontal).toString());
    const int digits = fontMetrics().horizontalAdvance(QString(count, QLatin1Char('0')));
    widths_[column] = std::max(words, digits) + kPadding;
    horizontalHeader()->resizeSection(column, widths_[column]);
  }
  horizontalHeader()->setSectionResizeMode(stretched, QHeaderView::Stretch);
  horizontalHeader()->setStretchLastSection(false);
  widths_.remove(stretched);
  makeRoom();
}

void ItemTable::setGivingWay(const QList<int>& columns) {
  givingWay_ = columns;
  makeRoom();
}

void ItemTable::makeRoom() {
  if (givingWay_.isEmpty()) return;
  constexpr int kTitle = 14;  // characters
  int left =
      viewport()->width() - fontMetrics().horizontalAdvance(QString(kTitle, QLatin1Char('0')));
  for (const auto& [column, width] : widths_.asKeyValueRange())
    if (!givingWay_.contains(column) && !isColumnHidden(column)) left -= width;
  // The last to give way has its room first.
  for (auto column = givingWay_.crbegin(); column != givingWay_.crend(); ++column) {
    left -= widths_.value(*column);
    setColumnHidden(*column, left < 0);
  }
}

void ItemTable::resizeEvent(QResizeEvent* event) {
  makeRoom();
  QTableView::resizeEvent(event);
}

void ItemTable::copy() const {
  QList<int> rows;
  for (const QModelIndex& index : selectionModel()->selectedRows()) rows << index.row();
  std::sort(rows.begin(), rows.end());
  QApplication::clipboard()->setText(tableAsTsv(*model(), rows));
}

void ItemTable::exportAs(const QString& format) {
  const bool csv = format == QLatin1String("csv");
  saveText(this, QStringLiteral("list.") + format,
           csv ? tr("CSV files (*.csv)") : tr("JSON files (*.json)"),
           csv ? tableAsCsv(*model()) : tableAsJson(*model()));
}

void ItemTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  const bool left = event->key() == Qt::Key_Left, right = event->key() == Qt::Key_Right;
  if (event->modifiers().testFlag(Qt::ControlModifier) && (left || right))
    return emit columnwise(left ? -1 : +1);
  if (event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier) {
    switch (event->key()) {
      case Qt::Key_Space:
        return emit flipped();
      case Qt::Key_Left:
        return emit sideways(-1);
      case Qt::Key_Right:
        return emit sideways(+1);
      case Qt::Key_Return:
      case Qt::Key_Enter:
        if (currentIndex().isValid()) emit opened(currentIndex().row());
        return;
      default:
        break;
    }
  }
  QTableView::keyPressEvent(event);
}

void ItemTable::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Copy"), QKeySequence(QKeySequence::Copy), this, &ItemTable::copy);
  menu->addSeparator();
  menu->addAction(tr("Export as CSV…"), this, [this] { exportAs(QStringLiteral("csv")); });
  menu->addAction(tr("Export as JSON…"), this, [this] { exportAs(QStringLiteral("json")); });
  menu->popup(event->globalPos());
}

void ItemTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (current.isValid() && current.row() != previous.row()) emit rowChosen(current.row());
}

}  // namespace parapet::ui

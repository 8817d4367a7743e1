// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QMap>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QTreeView>

namespace parapet::ui {

/// Waits until the window looks the same twice in a row with every event between handled: what a
/// page fetches from the background has arrived.
inline bool comesToRest(QWidget& window, int timeoutMs) {
  QImage last;
  int same = 0;
  return QTest::qWaitFor(
      [&] {
        QCoreApplication::sendPostedEvents();
        const QImage now = window.grab().toImage();
        same = now == last ? same + 1 : 0;
        last = now;
        return same >= 3;
      },
      timeoutMs);
}

inline QString textOf(const QWidget& widget) {
  if (const auto* label = qobject_cast<const QLabel*>(&widget)) return label->text();
  if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) return button->text();
  if (const auto* box = qobject_cast<const QComboBox*>(&widget)) return box->currentText();
  return {};
}

inline QSize wantedBy(const QWidget& widget) {
  const auto* label = qobject_cast<const QLabel*>(&widget);
  if (label && label->wordWrap()) return {0, label->heightForWidth(label->width())};
  return widget.minimumSizeHint();
}

/// Where a widget is seen, in its window.
inline QRect shownRect(const QWidget& widget, const QWidget& window) {
  return widget.visibleRegion().boundingRect().translated(widget.mapTo(&window, QPoint()));
}

/// Visible texts and controls that are smaller than what they show, or that cover each other.
inline QStringList faultsOf(const QWidget& window) {
  QStringList faults;
  QList<const QWidget*> seen;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || textOf(*widget).isEmpty()) continue;
    if (widget->visibleRegion().isEmpty()) continue;
    const QString name =
        QString("%1 \"%2\"").arg(widget->metaObject()->className(), textOf(*widget).left(60));
    const QSize wanted = wantedBy(*widget);
    if (widget->width() < wanted.width() || widget->height() < wanted.height())
      faults << QString("%1 is %2×%3, wants %4×%5")
                    .arg(name)
                    .arg(widget->width())
                    .arg(widget->height())
                    .arg(wanted.width())
                    .arg(wanted.height());
    const QRect here = shownRect(*widget, window);
    for (const QWidget* other : seen) {
      const bool within = other->isAncestorOf(widget) || widget->isAncestorOf(other);
      if (!within && shownRect(*other, window).intersects(here))
        faults << name + " covers " + textOf(*other).left(60);
    }
    seen.append(widget);
  }
  return faults;
}

/// Parts of a page that have to be scrolled sideways; pictures, which are as wide as they are, may.
inline QStringList sidewaysOf(const QWidget& window, const QStringList& pictures) {
  QStringList faults;
  for (const QScrollArea* area : window.findChildren<QScrollArea*>()) {
    const int hidden = area->horizontalScrollBar()->maximum();
    if (area->isVisible() && hidden > 0 && !pictures.contains(area->accessibleName()))
      faults << QString("\"%1\" scrolls sideways by %2 px").arg(area->accessibleName()).arg(hidden);
  }
  return faults;
}

/// The part of its text that a cell shows; all of it where there is room.
inline QString shownOf(const QAbstractItemView& view, const QModelIndex& cell, int width) {
  const QString text = cell.data().toString();
  const int missing = view.sizeHintForIndex(cell).width() - width;
  const QFontMetrics metrics(view.font());
  return missing <= 0
             ? text
             : metrics.elidedText(text, Qt::ElideRight, metrics.horizontalAdvance(text) - missing);
}

/// The rows of a table or a tree that are in sight, by their first cells.
inline QModelIndexList rowsInSight(const QAbstractItemView& view) {
  QModelIndexList rows;
  const auto* tree = qobject_cast<const QTreeView*>(&view);
  QModelIndex row = view.model()->index(0, 0);
  while (row.isValid()) {
    // A row may be scrolled sideways; its height tells.
    const QRect at = view.visualRect(row);
    if (at.bottom() >= 0 && at.top() <= view.viewport()->height()) rows << row;
    row = tree != nullptr ? tree->indexBelow(row) : row.siblingAtRow(row.row() + 1);
  }
  return rows;
}

/// Numbers of visible tables that end in "…", and names of rows that are different and look the same
/// because they do. A title that is cut alone is told by its tooltip.
inline QStringList elidedOf(const QWidget& window) {
  QStringList faults;
  for (const QAbstractItemView* view : window.findChildren<QAbstractItemView*>()) {
    const auto* table = qobject_cast<const QTableView*>(view);
    const auto* tree = qobject_cast<const QTreeView*>(view);
    if ((table == nullptr && tree == nullptr) || !view->isVisible() || view->model() == nullptr ||
        view->visibleRegion().isEmpty())
      continue;
    QMap<QString, QString> names;
    for (const QModelIndex& row : rowsInSight(*view))
      for (int column = 0; column < view->model()->columnCount(); ++column) {
        if (table != nullptr ? table->isColumnHidden(column) : tree->isColumnHidden(column))
          continue;
        const QModelIndex cell = row.siblingAtColumn(column);
        const int width = table != nullptr ? table->columnWidth(column) : tree->columnWidth(column);
        // A text that goes on in a second line is read whole.
        if (table != nullptr && table->rowHeight(row.row()) >= 2 * view->fontMetrics().height())
          continue;
        const QString text = cell.data().toString(), shown = shownOf(*view, cell, width);
        const bool isNumber = (cell.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight) != 0;
        const bool isLikeAnother =
            table != nullptr && column == 0 && names.value(shown, text) != text;
        if (column == 0) names.insert(shown, text);
        if (shown != text && (isNumber || isLikeAnother))
          faults << QString("%1: \"%2\" reads \"%3\"").arg(view->accessibleName(), text, shown);
      }
  }
  return faults;
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/path_delegate.h"

#include <QApplication>
#include <QPainter>

#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

/// "user/" of "user/genres"; "" if a name has no folder.
QString folderOf(const QString& name) {
  return name.left(name.lastIndexOf('/') + 1);
}

}  // namespace

void PathDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const QString name = cell.text;
  const QString folder = folderOf(name);
  if (folder.isEmpty()) return RoomyDelegate::paint(painter, option, index);
  cell.text.clear();
  const QStyle* style = cell.widget ? cell.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  cell.text = name;
  const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &cell, cell.widget) + 1;
  QRect text = style->subElementRect(QStyle::SE_ItemViewItemText, &cell, cell.widget)
                   .adjusted(margin, 0, -margin, 0);
  const bool selected = cell.state & QStyle::State_Selected;
  const QColor strong = cell.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
  const int wide = cell.fontMetrics.horizontalAdvance(folder);
  const QString above = index.siblingAtRow(index.row() - 1).data().toString();
  painter->save();
  painter->setFont(cell.font);
  if (folderOf(above) != folder) {
    painter->setPen(selected ? strong : quietColor(cell.palette));
    painter->drawText(text, Qt::AlignVCenter | Qt::AlignLeft, folder);
  }
  text.setLeft(text.left() + wide);
  painter->setPen(strong);
  painter->drawText(
      text, Qt::AlignVCenter | Qt::AlignLeft,
      cell.fontMetrics.elidedText(name.mid(folder.size()), Qt::ElideRight, text.width()));
  painter->restore();
}

}  // namespace parapet::ui

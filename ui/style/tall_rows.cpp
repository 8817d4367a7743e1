// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/tall_rows.h"

namespace parapet::ui {

QSize TallRows::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QStyledItemDelegate::sizeHint(option, index) + QSize(kRoom, kRoom);
}

void showAsList(QTreeView& view) {
  view.setRootIsDecorated(false);
  view.setUniformRowHeights(true);
  view.setAllColumnsShowFocus(true);
  view.setHeaderHidden(true);
  view.setFrameShape(QFrame::NoFrame);
  view.setEditTriggers(QAbstractItemView::EditKeyPressed);
  view.setItemDelegate(new TallRows(&view));
}

}  // namespace parapet::ui

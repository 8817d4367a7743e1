// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/tall_rows.h"

namespace parapet::ui {

QSize TallRows::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  return QStyledItemDelegate::sizeHint(option, index) + QSize(kRoom, kRoom);
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

namespace parapet::ui {

/// Cells whose numbers at the right keep away from the texts of the next column.
class RoomyDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

/// The titles over such cells.
class RoomyHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit RoomyHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
  }

 protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
};

}  // namespace parapet::ui

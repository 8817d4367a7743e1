// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

namespace parapet::ui {

/// Whether an editor of a cell has no value yet; true once for each. A cell that is told anew,
/// since sizes or findings arrive, must not take away what is being typed.
bool takesFirstValue(QWidget& editor);

/// Cells whose numbers at the right keep away from the texts of the next column.
class RoomyDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;

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

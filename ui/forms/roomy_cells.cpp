// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/roomy_cells.h"

namespace parapet::ui {
namespace {

/// Only on the screen: copied and exported texts are those of the model.
const QString kRoom(QChar(0x2002));

}  // namespace

bool takesFirstValue(QWidget& editor) {
  constexpr const char* kProperty = "hasValue";
  if (editor.property(kProperty).toBool()) return false;
  editor.setProperty(kProperty, true);
  return true;
}

void RoomyDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  if (takesFirstValue(*editor)) QStyledItemDelegate::setEditorData(editor, index);
}

void RoomyDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (option->displayAlignment & Qt::AlignRight) option->text += kRoom;
}

void RoomyHeader::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const {
  QHeaderView::initStyleOptionForIndex(option, section);
  if (option->textAlignment & Qt::AlignRight) option->text += kRoom;
}

}  // namespace parapet::ui

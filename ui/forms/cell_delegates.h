// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/forms/roomy_cells.h"

namespace parapet::ui {

/// Cells of a DocumentRowsModel that accept words: a combo box that opens at once.
class ChoiceDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  void setModelData(QWidget* editor, QAbstractItemModel* model,
                    const QModelIndex& index) const override;
};

/// Integers in the range of the schema.
class IntegerDelegate : public RoomyDelegate {
  Q_OBJECT

 public:
  using RoomyDelegate::RoomyDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  void setModelData(QWidget* editor, QAbstractItemModel* model,
                    const QModelIndex& index) const override;
};

}  // namespace parapet::ui

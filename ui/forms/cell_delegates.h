// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHeaderView>
#include <QStyledItemDelegate>

#include "ui/models/document_rows_model.h"

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

/// The titles over cells of a RoomyDelegate.
class RoomyHeader : public QHeaderView {
  Q_OBJECT

 public:
  explicit RoomyHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
  }

 protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override;
};

/// Cells of a DocumentRowsModel that name several of a few: a popup with a box for each, and one
/// for null where null has a name. Every press is an edit.
class ChecksDelegate : public RoomyDelegate {
  Q_OBJECT

 public:
  using RoomyDelegate::RoomyDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
};

/// Cells that are paths of files: a line to type in, with a sign that opens a dialog. Long paths
/// are elided in their middle.
class FileDelegate : public RoomyDelegate {
  Q_OBJECT

 public:
  using RoomyDelegate::RoomyDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

/// Names that are paths, "user/genres": the folder in quiet letters, and left out where the row
/// above has the same, so that a list reads as a tree.
class PathDelegate : public RoomyDelegate {
  Q_OBJECT

 public:
  using RoomyDelegate::RoomyDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

/// Cells that hold settings (initializer, optimizer): a popup with a form under the cell. The form
/// edits the document at once, so there is nothing to commit; Esc closes it, Ctrl+Z takes it back.
class SettingsDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  /// Opens the popup; there is no editor inside the cell.
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;

 protected:
  /// The editor of a cell, which has a layout and takes the focus.
  [[nodiscard]] virtual QWidget* makeForm(const DocumentRowsModel& model, const QModelIndex& index,
                                          QWidget* parent) const;
};

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

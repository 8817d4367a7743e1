// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace parapet::ui {

/// Cells that hold settings (initializer, optimizer): a popup with a form under the cell. The form
/// edits the document at once, so there is nothing to commit; Esc closes it, Ctrl+Z takes it back.
class SettingsDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  /// Opens the popup; there is no editor inside the cell.
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

#include "ui/models/document_rows_model.h"

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

 protected:
  /// What edits a cell; it has a layout, and takes the focus.
  [[nodiscard]] virtual QWidget* makeForm(const DocumentRowsModel& model, const QModelIndex& index,
                                          QWidget* parent) const;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace parapet::ui {

/// Cells of the device table: the outcome with a coloured dot before it (the word says the same),
/// what is only for looking up in quiet colour.
class OutcomeDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/forms/roomy_cells.h"

namespace parapet::ui {

/// Cells of a DocumentRowsModel that name several of a few: a popup with a box for each, and one
/// for null where null has a name. Every press is an edit.
class ChecksDelegate : public RoomyDelegate {
  Q_OBJECT

 public:
  using RoomyDelegate::RoomyDelegate;
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/forms/roomy_cells.h"

namespace parapet::ui {

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

}  // namespace parapet::ui

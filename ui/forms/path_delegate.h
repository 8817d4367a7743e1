// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/forms/roomy_cells.h"

namespace parapet::ui {

/// Names that are paths, "user/genres": the folder in quiet letters, and left out where the row
/// above has the same, so that a list reads as a tree.
class PathDelegate : public RoomyDelegate {
  Q_OBJECT

 public:
  using RoomyDelegate::RoomyDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace parapet::ui

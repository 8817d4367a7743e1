// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <QTreeView>

namespace parapet::ui {

/// Rows with room above and below their text, for lists that one chooses from.
class TallRows : public QStyledItemDelegate {
  Q_OBJECT

 public:
  static constexpr int kRoom = 8;  ///< pixels, both sides together

  using QStyledItemDelegate::QStyledItemDelegate;
  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                               const QModelIndex& index) const override;
};

/// Shows a view as a list that one chooses from: tall rows of one height, without a header, a frame
/// or arrows. F2 edits what can be edited.
void showAsList(QTreeView& view);

}  // namespace parapet::ui

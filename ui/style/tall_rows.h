// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

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

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace parapet::ui {

/// Draws popularity as text and bar, and a held-out hit as icon and text; everything else as usual.
class ListDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  static void paintBar(QPainter& painter, const QStyleOptionViewItem& option, double share,
                       const QString& text);
  static void paintHit(QPainter& painter, const QStyleOptionViewItem& option, const QString& text);
};

}  // namespace parapet::ui

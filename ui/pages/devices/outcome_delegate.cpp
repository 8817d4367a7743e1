// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/devices/outcome_delegate.h"

#include <QPainter>

#include "ui/models/device_model.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kDotSize = 10;

QColor colorOf(DeviceModel::Health health, const QPalette& palette) {
  switch (health) {
    case DeviceModel::Health::kGood:
      return goodColor(palette);
    case DeviceModel::Health::kCareful:
      return carefulColor(palette);
    default:
      return badColor(palette);
  }
}

QPixmap dot(const QColor& color, const QPen& outline) {
  QPixmap pixmap(kDotSize, kDotSize);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(outline);
  painter.setBrush(color);
  painter.drawEllipse(1, 1, kDotSize - 2, kDotSize - 2);
  return pixmap;
}

/// In a selected row the dot needs an edge to be seen on the highlight.
QIcon dotIcon(const QColor& color, const QPalette& palette) {
  QIcon icon(dot(color, Qt::NoPen));
  icon.addPixmap(dot(color, palette.color(QPalette::HighlightedText)), QIcon::Selected);
  return icon;
}

}  // namespace

void OutcomeDelegate::initStyleOption(QStyleOptionViewItem* option,
                                      const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (index.column() == DeviceModel::kReason)
    option->palette.setColor(QPalette::Text, quietColor(option->palette));
  if (index.column() != DeviceModel::kOutcome) return;
  const auto health = index.data(DeviceModel::kHealthRole).value<DeviceModel::Health>();
  option->icon = dotIcon(colorOf(health, option->palette), option->palette);
  option->features |= QStyleOptionViewItem::HasDecoration;
  option->decorationSize = QSize(kDotSize, kDotSize);
}

}  // namespace parapet::ui

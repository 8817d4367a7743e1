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

QIcon dot(const QColor& color) {
  QPixmap pixmap(kDotSize, kDotSize);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  painter.drawEllipse(1, 1, kDotSize - 2, kDotSize - 2);
  painter.end();
  return QIcon(pixmap);
}

}  // namespace

void OutcomeDelegate::initStyleOption(QStyleOptionViewItem* option,
                                      const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (index.column() == DeviceModel::kReason || index.column() == DeviceModel::kPlugin)
    option->palette.setColor(QPalette::Text, quietColor(option->palette));
  if (index.column() != DeviceModel::kOutcome) return;
  const auto health = index.data(DeviceModel::kHealthRole).value<DeviceModel::Health>();
  option->icon = dot(colorOf(health, option->palette));
  option->features |= QStyleOptionViewItem::HasDecoration;
  option->decorationSize = QSize(kDotSize, kDotSize);
}

}  // namespace parapet::ui

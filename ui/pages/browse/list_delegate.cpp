// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/list_delegate.h"

#include <QApplication>
#include <QPainter>

#include "ui/models/recommendation_model.h"
#include "ui/plots/series_style.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

QColor textColor(const QStyleOptionViewItem& option) {
  return option.palette.color(option.state & QStyle::State_Selected ? QPalette::HighlightedText
                                                                    : QPalette::Text);
}

}  // namespace

void ListDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  const QVariant share = index.data(RecommendationModel::kPercentileRole);
  const bool hit = index.data(RecommendationModel::kHitRole).toBool();
  if (!share.isValid() && !hit) return QStyledItemDelegate::paint(painter, option, index);
  QStyleOptionViewItem styled = option;
  initStyleOption(&styled, index);
  const QString text = std::exchange(styled.text, QString());
  const QStyle* style = styled.widget ? styled.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &styled, painter, styled.widget);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (hit)
    paintHit(*painter, styled, text);
  else
    paintBar(*painter, styled, share.toDouble(), text);
  painter->restore();
}

void ListDelegate::paintBar(QPainter& painter, const QStyleOptionViewItem& option, double share,
                            const QString& text) {
  const QRect cell = option.rect.adjusted(4, 0, -8, 0);
  const int textWidth = option.fontMetrics.horizontalAdvance(QStringLiteral("100 %"));
  painter.setPen(textColor(option));
  painter.drawText(QRect(cell.left(), cell.top(), textWidth, cell.height()),
                   Qt::AlignRight | Qt::AlignVCenter, text);
  constexpr int kHeight = 6, kGap = 8;
  const QRectF track(cell.left() + textWidth + kGap, cell.center().y() - kHeight / 2 + 1,
                     cell.width() - textWidth - kGap, kHeight);
  if (track.width() < kHeight) return;
  QColor ground = textColor(option);
  ground.setAlpha(40);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(track, kHeight / 2, kHeight / 2);
  QRectF filled = track;
  filled.setWidth(std::max<double>(kHeight, track.width() * share));
  painter.setBrush(option.state & QStyle::State_Selected
                       ? textColor(option)
                       : seriesStyle(0, SeriesRole::kTraining, isDark(option.palette)).color);
  painter.drawRoundedRect(filled, kHeight / 2, kHeight / 2);
}

void ListDelegate::paintHit(QPainter& painter, const QStyleOptionViewItem& option,
                            const QString& text) {
  constexpr int kSize = 14;
  const QColor green = isDark(option.palette) ? QColor(0x4c, 0xc3, 0x8a) : QColor(0x1b, 0x7f, 0x4b);
  const QRect cell = option.rect.adjusted(6, 0, -4, 0);
  const QRectF disc(cell.left(), cell.center().y() - kSize / 2 + 0.5, kSize, kSize);
  painter.setPen(Qt::NoPen);
  painter.setBrush(green);
  painter.drawEllipse(disc);
  painter.setPen(QPen(option.palette.color(QPalette::Base), 1.8));
  const QPointF tick[] = {disc.topLeft() + QPointF(3.6, 7.4), disc.topLeft() + QPointF(6.2, 10.0),
                          disc.topLeft() + QPointF(10.6, 4.6)};
  painter.drawPolyline(tick, 3);
  painter.setPen(textColor(option));
  painter.drawText(cell.adjusted(kSize + 5, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

}  // namespace parapet::ui

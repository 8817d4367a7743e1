// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/plain_text_style.h"

#include <QLabel>
#include <QStyleOption>

namespace parapet::ui {

PlainTextStyle::PlainTextStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

// The window of a tooltip is a label too.
void PlainTextStyle::polish(QWidget* widget) {
  if (auto* label = qobject_cast<QLabel*>(widget); label && label->textFormat() == Qt::AutoText)
    label->setTextFormat(Qt::PlainText);
  QProxyStyle::polish(widget);
}

void PlainTextStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                   QPainter* painter, const QWidget* widget) const {
  const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
  if (element != PE_IndicatorHeaderArrow || !header ||
      header->sortIndicator == QStyleOptionHeader::None)
    return QProxyStyle::drawPrimitive(element, option, painter, widget);
  QStyleOptionHeader turned(*header);
  turned.sortIndicator = header->sortIndicator == QStyleOptionHeader::SortUp
                             ? QStyleOptionHeader::SortDown
                             : QStyleOptionHeader::SortUp;
  QProxyStyle::drawPrimitive(element, &turned, painter, widget);
}

}  // namespace parapet::ui

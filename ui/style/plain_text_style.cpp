// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/plain_text_style.h"

#include <QLabel>
#include <QPainter>
#include <QStyleOption>

#include "ui/style/theme.h"

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
  if (element == PE_IndicatorHeaderArrow && header != nullptr) {
    QStyleOptionHeader turned(*header);
    if (header->sortIndicator == QStyleOptionHeader::SortDown)
      turned.sortIndicator = QStyleOptionHeader::SortUp;
    else if (header->sortIndicator == QStyleOptionHeader::SortUp)
      turned.sortIndicator = QStyleOptionHeader::SortDown;
    return QProxyStyle::drawPrimitive(element, &turned, painter, widget);
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  if (element != PE_IndicatorCheckBox && element != PE_IndicatorRadioButton) return;
  painter->save();
  painter->setBrush(Qt::NoBrush);
  painter->setPen(option->state.testFlag(State_Enabled) ? borderColor(option->palette)
                                                        : lineColor(option->palette));
  const QRect box = option->rect.adjusted(0, 0, -1, -1);
  if (element == PE_IndicatorCheckBox) {
    painter->drawRect(box);
  } else {
    painter->setRenderHint(QPainter::Antialiasing);
    painter->drawEllipse(box);
  }
  painter->restore();
}

}  // namespace parapet::ui

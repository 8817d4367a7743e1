// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/plain_text_style.h"

#include <QLabel>

namespace parapet::ui {

PlainTextStyle::PlainTextStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

// The window of a tooltip is a label too.
void PlainTextStyle::polish(QWidget* widget) {
  if (auto* label = qobject_cast<QLabel*>(widget); label && label->textFormat() == Qt::AutoText)
    label->setTextFormat(Qt::PlainText);
  QProxyStyle::polish(widget);
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/info_sign.h"

#include <QDesktopServices>
#include <QLabel>
#include <QUrl>

#include "ui/style/box_layout.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {

QToolButton* infoSign(const QString& target, const QString& title, QWidget* parent) {
  auto* sign = new QToolButton(parent);
  sign->setObjectName(QStringLiteral("info.") + target);
  sign->setAutoRaise(true);
  sign->setIcon(lineIcon(QStringLiteral("info")));
  sign->setIconSize({14, 14});
  sign->setFocusPolicy(Qt::TabFocus);
  sign->setAccessibleName(QObject::tr("About: %1").arg(title));
  sign->setToolTip(target.startsWith(QLatin1String("glossary/"))
                       ? QObject::tr("What the glossary says about it")
                       : QObject::tr("What the documents say about it"));
  QObject::connect(sign, &QToolButton::clicked, sign, [target] {
    QUrl url(target);
    url.setScheme(QLatin1String(kHelpScheme));
    QDesktopServices::openUrl(url);
  });
  return sign;
}

QWidget* titleWithSign(QWidget* title, const QString& target) {
  auto* both = new QWidget;
  auto* line = horizontalBox(both, 4);
  const auto* label = qobject_cast<const QLabel*>(title);
  line->addWidget(title);
  line->addWidget(infoSign(target, label ? label->text() : QString(), both));
  line->addStretch(1);
  return both;
}

}  // namespace parapet::ui

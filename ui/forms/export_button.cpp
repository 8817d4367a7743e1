// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/export_button.h"

#include <QAction>
#include <QMenu>

#include "ui/style/line_icon.h"

namespace parapet::ui {

QToolButton* exportButton(const QString& accessibleName, const QString& toolTip,
                          const QList<QAction*>& choices, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setObjectName(QStringLiteral("exportButton"));
  button->setText(QObject::tr("Export"));
  button->setIcon(lineIcon(QStringLiteral("export")));
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setAccessibleName(accessibleName);
  button->setToolTip(toolTip);
  auto* menu = new QMenu(button);
  menu->addActions(choices);
  button->setMenu(menu);
  return button;
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/flat_buttons.h"

#include "ui/style/line_icon.h"

namespace parapet::ui {
namespace {

QToolButton* flatButton(const QString& accessibleName, const QString& toolTip, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setAutoRaise(true);
  button->setAccessibleName(accessibleName);
  button->setToolTip(toolTip);
  return button;
}

}  // namespace

QToolButton* textButton(const QString& text, const QString& toolTip, QWidget* parent) {
  auto* button = flatButton(toolTip, toolTip, parent);
  button->setText(text);
  return button;
}

QToolButton* closeButton(const QString& accessibleName, const QString& toolTip, QWidget* parent) {
  auto* button = flatButton(accessibleName, toolTip, parent);
  button->setIcon(lineIcon(QStringLiteral("clear")));
  return button;
}

}  // namespace parapet::ui

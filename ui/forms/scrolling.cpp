// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/scrolling.h"

namespace parapet::ui {

QScrollArea* scrolling(QWidget* inside, const QString& name) {
  auto* scroll = new QScrollArea;
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setAccessibleName(name);
  return scroll;
}

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/scrolling.h"

#include <QEvent>
#include <QScrollBar>

namespace parapet::ui {
namespace {

/// Follows the least width of what an area scrolls.
class WholeWidth final : public QObject {
 public:
  explicit WholeWidth(QScrollArea& area) : QObject(&area), area_(area) {
    area.widget()->installEventFilter(this);
    follow();
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange) follow();
    return false;
  }

 private:
  void follow() {
    area_.setMinimumWidth(area_.widget()->minimumSizeHint().width() +
                          area_.verticalScrollBar()->sizeHint().width() + 2 * area_.frameWidth());
  }

  QScrollArea& area_;
};

}  // namespace

void keepWhole(QScrollArea& area) {
  new WholeWidth(area);
}

QScrollArea* scrolling(QWidget* inside, const QString& name) {
  auto* scroll = new QScrollArea;
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setAccessibleName(name);
  return scroll;
}

}  // namespace parapet::ui

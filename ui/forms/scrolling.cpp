// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/scrolling.h"

#include <QEvent>
#include <QScrollBar>

namespace parapet::ui {
namespace {

/// Follows the least width of what an area scrolls.
class WholeWidth final : public QObject {
 public:
  WholeWidth(QScrollArea& area, QWidget& page, int beside)
      : QObject(&area), area_(area), page_(page), beside_(beside) {
    area.widget()->installEventFilter(this);
    page.installEventFilter(this);
    follow();
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    const QEvent::Type type = event->type();
    if (type == QEvent::LayoutRequest || type == QEvent::FontChange || type == QEvent::Resize)
      follow();
    return false;
  }

 private:
  void follow() {
    const int whole = area_.widget()->minimumSizeHint().width() +
                      area_.verticalScrollBar()->sizeHint().width() + 2 * area_.frameWidth();
    area_.setMinimumWidth(whole + beside_ <= page_.width() ? whole : 0);
  }

  QScrollArea& area_;
  QWidget& page_;
  int beside_;
};

}  // namespace

void keepWhole(QScrollArea& area, QWidget& page, int beside) {
  new WholeWidth(area, page, beside);
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

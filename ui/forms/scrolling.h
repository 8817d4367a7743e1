// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace parapet::ui {

/// Takes a part of a page over, and scrolls it where it is larger than its area.
QScrollArea* scrolling(QWidget* inside, const QString& name);

/// Never narrower than what it scrolls wants at least, so that all of its controls are whole, while
/// `page` around it has `beside` pixels for the rest.
void keepWhole(QScrollArea& area, QWidget& page, int beside);

/// A widget in such a part that takes the height there is and asks for no more than its minimum:
/// what is higher scrolls.
template <class Widget>
class LowWidget final : public Widget {
 public:
  using Widget::Widget;
  [[nodiscard]] QSize sizeHint() const override {
    return {Widget::sizeHint().width(), Widget::minimumSizeHint().height()};
  }
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QLayout>
#include <QList>
#include <QScrollArea>

namespace parapet::ui {

/// Widgets one after the other, in as many lines as the width asks for.
class FlowLayout : public QLayout {
  Q_OBJECT

 public:
  FlowLayout(QWidget* parent, int horizontalSpacing, int verticalSpacing);
  ~FlowLayout() override;
  /// The first widget of a line that can grow takes what is left of it.
  void fillLines() { fills_ = true; }

  void addItem(QLayoutItem* item) override { items_ << item; }
  [[nodiscard]] int count() const override { return static_cast<int>(items_.size()); }
  [[nodiscard]] QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override;
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
  [[nodiscard]] QSize minimumSize() const override;
  [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
  void setGeometry(const QRect& rect) override;

 private:
  /// The height that is taken; moves the widgets if `place`.
  enum class Pass {
    kMeasure,  ///< the height alone
    kArrange,  ///< moves the widgets, too
  };
  int arrange(const QRect& rect, Pass pass) const;

  QList<QLayoutItem*> items_;
  int across_, down_;
  bool fills_ = false;
};

/// Parts of a page below each other, in two columns where the page is wide: as many of the first parts in the
/// left one as make both about equally high.
class ColumnsLayout : public QLayout {
  Q_OBJECT

 public:
  /// A column is at most so wide, and two stand side by side where both have their width.
  static constexpr int kColumn = 656, kBetween = 40;

  ColumnsLayout(QWidget* parent, int spacing) : QLayout(parent), spacing_(spacing) {}
  ~ColumnsLayout() override;

  void addItem(QLayoutItem* item) override { items_ << item; }
  [[nodiscard]] int count() const override { return static_cast<int>(items_.size()); }
  [[nodiscard]] QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override;
  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize sizeHint() const override { return minimumSize(); }
  [[nodiscard]] QSize minimumSize() const override;
  [[nodiscard]] Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
  void setGeometry(const QRect& rect) override;

 private:
  /// A visible part, where it is to stand.
  struct Placed {
    QLayoutItem* item;
    QRect at;
  };
  [[nodiscard]] QList<Placed> arranged(const QRect& rect) const;

  QList<QLayoutItem*> items_;
  int spacing_;
};

/// Two parts of a page, side by side where both have half of a wide one, else below each other.
class SideBySide : public QWidget {
  Q_OBJECT

 public:
  /// Wide enough for a form with its labels.
  static constexpr int kHalf = 560, kBetween = 40;

  SideBySide(QWidget* first, QWidget* second, int spacing);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QBoxLayout* layout_;
  int spacing_;
};

/// Takes a part of a page over, and scrolls it where it is larger than its area.
QScrollArea* scrolling(QWidget* inside, const QString& name);

/// Never narrower than what it scrolls wants at least, so that all of its controls are whole, while
/// `page` around it has `beside` pixels for the rest.
void keepWhole(QScrollArea& area, QWidget& page, int beside);

/// A widget inside a scrolling() part that takes the height there is and asks for no more than its minimum:
/// what is higher scrolls.
template <class Widget>
class LowWidget final : public Widget {
 public:
  using Widget::Widget;
  [[nodiscard]] QSize sizeHint() const override {
    return {Widget::sizeHint().width(), Widget::minimumSizeHint().height()};
  }
};

/// Layouts that most widgets begin with: no margins unless they are given, and the spacing of the
/// style unless another one is.
inline QVBoxLayout* verticalBox(QWidget* parent = nullptr, int spacing = -1,
                                const QMargins& margins = {}) {
  auto* layout = new QVBoxLayout(parent);
  layout->setContentsMargins(margins);
  layout->setSpacing(spacing);
  return layout;
}
inline QHBoxLayout* horizontalBox(QWidget* parent = nullptr, int spacing = -1,
                                  const QMargins& margins = {}) {
  auto* layout = new QHBoxLayout(parent);
  layout->setContentsMargins(margins);
  layout->setSpacing(spacing);
  return layout;
}

}  // namespace parapet::ui

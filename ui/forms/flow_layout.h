// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QList>

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

}  // namespace parapet::ui

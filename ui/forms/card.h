// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>

namespace parapet::ui {

/// A light ground with round corners for things that belong together.
class Card : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// The heading of a card or a section, `scale` times the size of text.
QLabel* headingLabel(const QString& text, double scale);

/// A button with room around its text.
QPushButton* roomyButton(const QString& text);

/// Text that matters less; it follows a change of theme.
class QuietLabel : public QLabel {
  Q_OBJECT

 public:
  explicit QuietLabel(const QString& text = {}, QWidget* parent = nullptr);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void recolour();
  bool recolouring_ = false;
};

}  // namespace parapet::ui

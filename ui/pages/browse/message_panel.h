// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace parapet::ui {

/// Stands where a list would be: what is the matter and what to do next, with the button for it.
class MessagePanel : public QWidget {
  Q_OBJECT

 public:
  explicit MessagePanel(QWidget* parent = nullptr);
  void setMessage(const QString& title, const QString& text);
  [[nodiscard]] QString text() const;
  /// The first button is the default one.
  QPushButton* addButton(const QString& text, const QString& toolTip);

 private:
  QLabel* title_;
  QLabel* text_;
  QVBoxLayout* buttons_;
};

}  // namespace parapet::ui

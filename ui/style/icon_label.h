// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>
#include <QWidget>

namespace parapet::ui {

/// A line icon as a widget; unlike a QLabel with a pixmap it follows a change of theme.
class IconLabel : public QWidget {
  Q_OBJECT

 public:
  explicit IconLabel(const QString& iconName, int size = 16, QWidget* parent = nullptr);
  void setIconName(const QString& iconName);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QIcon icon_;
};

}  // namespace parapet::ui

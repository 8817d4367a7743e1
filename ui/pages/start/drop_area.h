// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace parapet::ui {

/// Shows where to drop an experiment or a data folder; the same by buttons. What is dropped
/// anywhere on the window counts too.
class DropArea : public QWidget {
  Q_OBJECT

 public:
  explicit DropArea(QWidget* parent = nullptr);
  void askForFolder();

 signals:
  void chosen(const QString& path);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void askForFile();
};

}  // namespace parapet::ui

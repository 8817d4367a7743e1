// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QFrame>

namespace parapet::ui {

/// A list that opens over the window and closes when something else is clicked, with a border,
/// since without a compositor nothing else parts it from what it covers.
class PopupDialog : public QDialog {
  Q_OBJECT

 public:
  explicit PopupDialog(QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

/// A frame with a border around the settings of a cell.
class PopupFrame : public QFrame {
  Q_OBJECT

 public:
  explicit PopupFrame(QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace parapet::ui

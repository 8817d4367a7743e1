// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QWidget>

namespace parapet::ui {

/// A tour of the window in six steps, in a strip above the page: each shows a page, says what it is
/// for, and frames the widget that it speaks of. The window can be used meanwhile.
class Tour : public QWidget {
  Q_OBJECT

 public:
  /// Hidden until begin().
  explicit Tour(QWidget* parent = nullptr);
  /// From the first step.
  void begin();
  /// Ends it at any step.
  void skip();

 signals:
  /// The page of a step, for MainWindow::showPage().
  void pageRequested(const QString& name);
  /// Skipped, or over.
  void ended();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show(int step);
  void frame(QWidget* target);
  void place();

  int step_ = 0;
  QPointer<QWidget> target_{};  ///< framed now
  QPointer<QWidget> mark_{};    ///< the frame, a child of the window
  QLabel *count_, *text_;
  QPushButton *back_, *next_, *skip_;
};

}  // namespace parapet::ui

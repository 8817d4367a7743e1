// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

namespace parapet::ui {

/// Says what has just been done and offers to take it back; goes by itself after a while.
class UndoBar : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kShownMs = 12000;

  explicit UndoBar(QWidget* parent = nullptr);
  void offer(const QString& text, const QStringList& runIds);

 signals:
  void undoRequested(const QStringList& runIds);

 private:
  void undo();

  QLabel* text_;
  QPushButton* undo_;
  QStringList runIds_;
  QTimer timer_;
};

}  // namespace parapet::ui

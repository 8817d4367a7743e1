// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLabel>
#include <QPushButton>

namespace parapet::ui {

/// Asks what becomes of a run when the window closes. Non-blocking: the run goes on meanwhile.
class CloseQuestion : public QDialog {
  Q_OBJECT

 public:
  explicit CloseQuestion(QWidget* parent);
  /// Asks anew about a run.
  void ask(const QString& experimentName);
  /// From here until the run has ended.
  void showStopping();

 signals:
  void quitChosen();

 private:
  QLabel* text_;
  QPushButton* quit_;
  QPushButton* cancel_;
};

}  // namespace parapet::ui

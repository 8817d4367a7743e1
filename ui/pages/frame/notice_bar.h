// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QWidget>
#include <functional>

#include "engine/base/log.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// How long a notice stays: until it is closed or replaced, and no longer than what it is about.
enum class Lasts {
  kUntilClosed,     ///< news that ask for nothing fade by themselves
  kThisExperiment,  ///< while the experiment that it is about is open and its cause is there
  kTrouble,         ///< while the workspace cannot be written
};

/// One message, with a button if something can be done about it.
class NoticeRow : public QWidget {
  Q_OBJECT

 public:
  /// News are read in this time; the mouse over them holds them.
  static constexpr int kFadeMs = 6000;

  explicit NoticeRow(QWidget* parent = nullptr);
  void show(LogLevel level, const QString& text, const QString& actionText,
            std::function<void()> action, Lasts lasts);
  [[nodiscard]] QString text() const { return text_->text(); }
  /// Goes if its cause has gone.
  void leave(Lasts cause);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void fadeLater();

  LogLevel level_ = LogLevel::kInfo;
  Lasts lasts_ = Lasts::kUntilClosed;
  std::function<void()> action_;
  QTimer fade_{this};
  IconLabel* icon_;
  QLabel* text_;
  QPushButton* button_;
};

/// Below the page the newest message, and under it the newest one that offers something: news do
/// not take away an Undo.
class NoticeBar : public QWidget {
  Q_OBJECT

 public:
  explicit NoticeBar(QWidget* parent = nullptr);
  void show(LogLevel level, const QString& text, const QString& actionText = {},
            std::function<void()> action = {}, Lasts lasts = Lasts::kUntilClosed);
  /// The newest; also after it was closed.
  [[nodiscard]] QString text() const { return newest_; }
  /// A notice goes with its cause.
  void leave(Lasts cause);
  /// What was said of a run that goes on goes.
  void leaveRun(const QString& runId);

 private:
  NoticeRow *offer_, *plain_;
  QString newest_;
};

}  // namespace parapet::ui

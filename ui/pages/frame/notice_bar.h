// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <vector>

#include "engine/base/log.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// How long a notice stays: until it is closed or replaced, and no longer than what it is about.
enum class Lasts {
  kUntilClosed,     ///< news that ask for nothing fade by themselves
  kThisExperiment,  ///< while the experiment that it is about is open and its cause is there
  kTrouble,         ///< while the workspace cannot be written
  kUndo,  ///< an Undo that is wanted soon or never: what it undoes can be undone elsewhere
};

/// One message, with a button if something can be done about it.
class NoticeRow : public QWidget {
  Q_OBJECT

 public:
  /// News are read in this time; the mouse over them holds them.
  static constexpr int kFadeMs = 6000;
  /// An Undo is there longer.
  static constexpr int kUndoMs = 20000;

  /// `mayMove`: whether the page may be moved now; asked before the row goes.
  explicit NoticeRow(QWidget* parent = nullptr, std::function<bool()> mayMove = {});
  void show(LogLevel level, const QString& text, const QString& actionText,
            std::function<void()> action, Lasts lasts);
  [[nodiscard]] QString text() const { return text_->text(); }
  /// Hides, as soon as the page may be moved.
  void goAway();
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
  std::function<bool()> mayMove_;
  QTimer fade_{this};
  IconLabel* icon_;
  QLabel* text_;
  QPushButton* button_;
};

/// Below the page the newest message, and under it the newest one that offers something: news do
/// not take away an Undo. A notice that comes or goes moves the lower edge of the page, so both wait
/// while the mouse is over a list that stands there (holdsStill()).
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
  /// The offer is about a run that has not begun.
  void setRun(const QString& runId) { offered_ = runId; }
  /// Removes notices about a run that goes on, and offers from before it began.
  void leaveRun(const QString& runId);

 private:
  struct Waiting {
    LogLevel level;
    QString text, actionText;
    std::function<void()> action;
    Lasts lasts;
  };
  void showNow(Waiting notice);
  void showWaiting();

  NoticeRow *offer_, *plain_;
  std::vector<Waiting> waiting_;
  QTimer look_{this};
  QString newest_, offered_;  ///< the newest text; the run that the offer is about
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <functional>

#include "engine/base/log.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// One message, until it is closed or replaced; with a button if something can be done about it.
class NoticeRow : public QWidget {
  Q_OBJECT

 public:
  explicit NoticeRow(QWidget* parent = nullptr);
  void show(LogLevel level, const QString& text, const QString& actionText,
            std::function<void()> action);
  [[nodiscard]] QString text() const { return text_->text(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  LogLevel level_ = LogLevel::kInfo;
  std::function<void()> action_;
  IconLabel* icon_;
  QLabel* text_;
  QPushButton* button_;
};

/// Below the page the newest message, and under it the newest one that offers something: news do
/// not take away an Undo.
class NoticeBar : public QWidget {
  Q_OBJECT

 public:
  enum class Lasts {
    kUntilClosed,     ///< or replaced
    kThisExperiment,  ///< no longer than the experiment that it is about stays open
  };
  explicit NoticeBar(QWidget* parent = nullptr);
  void show(LogLevel level, const QString& text, const QString& actionText = {},
            std::function<void()> action = {}, Lasts lasts = Lasts::kUntilClosed);
  /// The newest; also after it was closed.
  [[nodiscard]] QString text() const { return newest_; }
  /// What was said of the experiment that was open goes.
  void leaveExperiment();
  /// What was said of a run that goes on goes.
  void leaveRun(const QString& runId);

 private:
  NoticeRow *offer_, *plain_;
  QString newest_;
  Lasts plainLasts_ = Lasts::kUntilClosed;
};

}  // namespace parapet::ui

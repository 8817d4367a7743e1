// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>
#include <functional>

#include "engine/base/log.h"
#include "ui/style/icon_label.h"

namespace parapet::ui {

/// One message below the page, until it is closed or replaced; with a button if something can be
/// done about it.
class NoticeBar : public QWidget {
  Q_OBJECT

 public:
  explicit NoticeBar(QWidget* parent = nullptr);
  void show(LogLevel level, const QString& text, const QString& actionText = {},
            std::function<void()> action = {});
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

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>

#include "ui/forms/card.h"
#include "ui/models/app_settings.h"

namespace parapet::ui {

/// Experiments that were open lately, newest first.
class RecentList : public Card {
  Q_OBJECT

 public:
  explicit RecentList(AppSettings& settings, QWidget* parent = nullptr);

 signals:
  void chosen(const QString& fileOrRecipe);

 private:
  void fill();

  AppSettings& settings_;
  QListWidget* list_;
  QLabel* empty_;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>

#include "ui/forms/card.h"
#include "ui/models/recipe_summary.h"

namespace parapet::ui {

/// One recipe: what it trains, what it needs, what it is compared with.
class RecipeTile : public Card {
  Q_OBJECT

 public:
  explicit RecipeTile(const RecipeSummary& recipe, QWidget* parent = nullptr);
  [[nodiscard]] QPushButton* useButton() const { return use_; }

 signals:
  void chosen(const QString& recipe);
  /// The data are somewhere: asks for their folder.
  void folderWanted();

 private:
  QPushButton* use_;
};

/// A tile for every recipe, in two columns.
class RecipeTiles : public QWidget {
  Q_OBJECT

 public:
  explicit RecipeTiles(QWidget* parent = nullptr);

 signals:
  void chosen(const QString& recipe);
  void folderWanted();
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>

#include "ui/forms/card.h"
#include "ui/models/recipe_summary.h"

namespace parapet::ui {

/// One recipe: what it trains, what it needs, what it is compared with. One whose data are not known
/// asks for them first.
class RecipeTile : public Card {
  Q_OBJECT

 public:
  explicit RecipeTile(const RecipeSummary& recipe, QWidget* parent = nullptr);
  [[nodiscard]] QPushButton* useButton() const { return use_; }
  /// The data that the recipe would be used with; "" if they have to be chosen.
  void setData(const QString& path);

 signals:
  void chosen(const QString& recipe);
  /// The data are somewhere: asks for their folder.
  void folderWanted(const QString& recipe);
  void downloadWanted(const QString& recipe);

 private:
  const RecipeSummary recipe_;
  QPushButton* use_;
  QPushButton* folder_ = nullptr;
  QPushButton* download_ = nullptr;
  QLabel* needs_;
};

/// A tile for every recipe: those that work at once first, published ones last.
class RecipeTiles : public QWidget {
  Q_OBJECT

 public:
  explicit RecipeTiles(QWidget* parent = nullptr);
  /// MovieLens data that recipes would be used with; "" if none are known.
  void setData(const QString& path);

 signals:
  void chosen(const QString& recipe);
  void folderWanted(const QString& recipe);
  void downloadWanted(const QString& recipe);

 private:
  QList<RecipeTile*> tiles_;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QHash>
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
  [[nodiscard]] const QString& recipe() const { return recipe_.name; }

 signals:
  /// `path`: of the data that it is used with; "" if none are known or needed.
  void chosen(const QString& recipe, const QString& path);
  void downloadWanted(const QString& recipe);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// A way to get at its data, hidden while they are known.
  QPushButton* addWay(const QString& text, const QString& name, const QString& accessibleName,
                      const QString& tip);
  void addWays();
  void arrange();
  void askForFolder();
  void askForFile();
  void use(const QString& path) { emit chosen(recipe_.name, path); }

  const RecipeSummary recipe_;
  QString data_;
  QPushButton* use_;
  QList<QPushButton*> ways_;
  QLabel* needs_;
  QBoxLayout* across_ = nullptr;  ///< texts, then buttons
};

/// A tile for every recipe: those that work at once first, published ones last.
class RecipeTiles : public QWidget {
  Q_OBJECT

 public:
  explicit RecipeTiles(QWidget* parent = nullptr);
  /// The data that recipes would be used with, by recipe.
  void setData(const QHash<QString, QString>& paths);

 signals:
  /// A recipe, to be used with data; `path` is "" if none are known or needed.
  void chosen(const QString& recipe, const QString& path);
  void downloadWanted(const QString& recipe);

 private:
  QList<RecipeTile*> tiles_;
};

}  // namespace parapet::ui

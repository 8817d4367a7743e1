// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/controllers/browse_session.h"
#include "ui/models/explanation_models.h"

class QLineEdit;

namespace parapet::ui {

class ElidedLabel;

/// The items nearest to the selected one, by cosine in the model's own space.
class SimilarPanel : public QWidget {
  Q_OBJECT

 public:
  explicit SimilarPanel(BrowseSession& session, QWidget* parent = nullptr);
  /// By the model of a column.
  void showItem(int column, const QString& item, const QString& title);
  void clear();
  [[nodiscard]] const SimilarItemsModel& items() const { return *model_; }

 private:
  BrowseSession& session_;
  SimilarItemsModel* model_;
  ElidedLabel* caption_;
  int column_ = 0;
};

class ItemTable;

/// The rank of one item in every column, however far down.
class RankPanel : public QWidget {
  Q_OBJECT

 public:
  explicit RankPanel(BrowseSession& session, QWidget* parent = nullptr);
  void showItem(const QString& item, const QString& title);
  /// Asks again for the same item, e.g. because the users or the model changed.
  void refresh();
  void clear();
  void focusSearch();
  [[nodiscard]] const ItemRanksModel& ranks() const { return *ranks_; }

 private:
  void search();

  BrowseSession& session_;
  SimilarItemsModel* found_;
  ItemRanksModel* ranks_;
  QLineEdit* text_;
  ElidedLabel* caption_;
  ItemTable* rankTable_;
  ItemTable* foundTable_;
  QTimer typing_;
  QString item_, title_;
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/controllers/browse_session.h"
#include "ui/models/item_ranks_model.h"
#include "ui/models/similar_items_model.h"

class QLineEdit;

namespace parapet::ui {

class ElidedLabel;
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

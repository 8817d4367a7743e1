// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/controllers/browse_session.h"
#include "ui/models/similar_items_model.h"

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

}  // namespace parapet::ui

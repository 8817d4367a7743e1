// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/retrieval/recommender.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// Items nearest to one, by cosine in the model's own space: neighbours of the catalogue, or the
/// part of a history that explains a recommendation.
class SimilarItemsModel : public RowsModel<retrieval::SimilarItem> {
  Q_OBJECT

 public:
  enum Column { kRank, kTitle, kCosine, kColumnCount };
  enum Role { kItemIdRole = Qt::UserRole + 1 };
  explicit SimilarItemsModel(QObject* parent = nullptr);

  void setItems(std::vector<retrieval::SimilarItem> items) { replaceRows(std::move(items)); }
  [[nodiscard]] const std::vector<retrieval::SimilarItem>& items() const { return rows(); }

 protected:
  [[nodiscard]] QVariant more(const retrieval::SimilarItem& item, int column,
                              int role) const override;
};

}  // namespace parapet::ui

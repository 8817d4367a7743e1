// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/retrieval/recommender.h"

namespace parapet::ui {

/// Items nearest to one, by cosine in the model's own space: neighbours of the catalogue, or the
/// part of a history that explains a recommendation.
class SimilarItemsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kRank, kTitle, kCosine, kColumnCount };
  enum Role { kItemIdRole = Qt::UserRole + 1 };
  using QAbstractTableModel::QAbstractTableModel;

  void setItems(std::vector<retrieval::SimilarItem> items);
  [[nodiscard]] const std::vector<retrieval::SimilarItem>& items() const { return items_; }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  std::vector<retrieval::SimilarItem> items_;
};

}  // namespace parapet::ui

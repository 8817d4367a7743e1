// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/base/result.h"
#include "engine/retrieval/recommender.h"

namespace parapet::ui {

/// The rank of one item for each of several users; a user that cannot be answered keeps a row
/// with the error in it.
class ItemRanksModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kUser, kRank, kScore, kKthScore, kGap, kStatus, kColumnCount };
  struct Row {
    QString user;
    Result<retrieval::ItemRank> rank;
  };
  using QAbstractTableModel::QAbstractTableModel;

  /// `k` is the length of the lists, for the words "inside" and "outside".
  void setRows(std::vector<Row> rows, std::int64_t k);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  [[nodiscard]] QVariant text(const retrieval::ItemRank& rank, int column) const;
  [[nodiscard]] QVariant value(const retrieval::ItemRank& rank, int column) const;

  std::vector<Row> rows_;
  std::int64_t k_ = 10;
};

}  // namespace parapet::ui

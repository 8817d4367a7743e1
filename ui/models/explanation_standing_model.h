// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/base/result.h"
#include "engine/retrieval/recommender.h"

namespace parapet::ui {

/// Where one item stands for each of several users; a user that cannot be answered keeps his row
/// with the error in it.
class ExplanationStandingModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kUser, kRank, kScore, kKthScore, kGap, kStatus, kColumnCount };
  struct Row {
    QString user;
    Result<retrieval::ItemRank> standing;
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
  [[nodiscard]] QVariant text(const retrieval::ItemRank& standing, int column) const;
  [[nodiscard]] QVariant value(const retrieval::ItemRank& standing, int column) const;

  std::vector<Row> rows_;
  std::int64_t k_ = 10;
};

}  // namespace parapet::ui

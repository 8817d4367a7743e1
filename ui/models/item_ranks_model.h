// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"
#include "engine/retrieval/recommender.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// The rank of an item for a user, or why it is not known.
struct ItemRanksRow {
  QString user;
  Result<retrieval::ItemRank> rank;
  QString context{};      ///< of the query, in words
  QString run{};          ///< whose model answered
  std::int64_t step = 0;  ///< of its checkpoint
};

/// The rank of one item for each of several users; a user that cannot be answered keeps a row
/// with the error in it.
class ItemRanksModel : public RowsModel<ItemRanksRow> {
  Q_OBJECT

 public:
  enum Column { kUser, kContext, kModel, kRank, kScore, kKthScore, kGap, kStatus, kColumnCount };
  using Row = ItemRanksRow;
  explicit ItemRanksModel(QObject* parent = nullptr);

  /// `k` is the length of the lists, for the words "inside" and "outside".
  void setRows(std::vector<Row> rows, std::int64_t k);
};

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>

#include "engine/retrieval/recommender.h"

namespace parapet::ui {

using retrieval::Move;
using retrieval::MoveKind;

/// The list recommended to one user, best first, and how it moved against another list.
class RecommendationModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kRank, kMove, kTitle, kScore, kPopularity, kHeldOut, kColumnCount };
  enum Role {
    kItemIdRole = Qt::UserRole + 1,  ///< raw id, text
    kPercentileRole,                 ///< of the popularity, in [0, 1]; kPopularity only
    kHitRole,                        ///< held-out hit, bool; kHeldOut only
  };
  using QAbstractTableModel::QAbstractTableModel;

  /// `moves` is empty (nothing to compare with) or has one entry per item.
  void setList(retrieval::Recommendation list, std::vector<Move> moves = {});
  void clear() { setList({}); }
  [[nodiscard]] const retrieval::Recommendation& list() const { return list_; }
  /// Whether these items and moves are what it has.
  [[nodiscard]] bool shows(const retrieval::Recommendation& list,
                           const std::vector<Move>& moves) const;
  [[nodiscard]] bool hasMoves() const { return !moves_.empty(); }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role = Qt::DisplayRole) const override;

 private:
  [[nodiscard]] QVariant text(const retrieval::RecommendedItem& item, int row, int column) const;
  [[nodiscard]] QVariant value(const retrieval::RecommendedItem& item, int row, int column) const;
  [[nodiscard]] QString toolTip(const retrieval::RecommendedItem& item, int row, int column) const;
  [[nodiscard]] QString moveText(int row) const;

  retrieval::Recommendation list_;
  std::vector<Move> moves_;
};

/// A score or cosine as shown in lists: four decimals, a real minus sign.
QString scoreText(double score);
/// "80 %" of a share in [0, 1].
QString percentText(double share);
/// The title, or the id in words where the catalogue has none.
QString titleText(const std::string& title, const std::string& id);

}  // namespace parapet::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>

#include "engine/retrieval/recommender.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

using retrieval::Move;
using retrieval::MoveKind;

/// The list recommended to one user, best first, and how it moved against another list.
class RecommendationModel : public RowsModel<retrieval::RecommendedItem> {
  Q_OBJECT

 public:
  enum Column { kRank, kMove, kTitle, kScore, kPopularity, kHeldOut };
  enum Role {
    kItemIdRole = Qt::UserRole + 1,  ///< raw id, text
    kPercentileRole,                 ///< of the popularity, in [0, 1]; kPopularity only
    kHitRole,                        ///< held-out hit, bool; kHeldOut only
  };
  explicit RecommendationModel(QObject* parent = nullptr);

  /// `moves` is empty (nothing to compare with) or has one entry per item.
  void setList(retrieval::Recommendation list, std::vector<Move> moves = {});
  void clear() { setList({}); }
  [[nodiscard]] const retrieval::Recommendation& list() const { return list_; }
  /// Whether these items and moves are what it has.
  [[nodiscard]] bool shows(const retrieval::Recommendation& list,
                           const std::vector<Move>& moves) const;
  [[nodiscard]] bool hasMoves() const { return !moves_.empty(); }
  /// Names the score in words: "cosine".
  void setScoreName(const QString& name);
  /// The ranks that the scores do not decide: "equal scores, ordered by a hash of the id: 3"; "" where
  /// they decide all.
  [[nodiscard]] QString note() const;

 protected:
  [[nodiscard]] QVariant more(const retrieval::RecommendedItem& item, int column,
                              int role) const override;

 private:
  /// The title, with the id where another item of the list is called the same.
  [[nodiscard]] QString shownTitle(const retrieval::RecommendedItem& item) const;
  [[nodiscard]] bool isTied(int row) const;
  [[nodiscard]] QString scoreTip(int row) const;
  [[nodiscard]] QString moveText(int row) const;
  [[nodiscard]] QString moveTip(int row) const;
  [[nodiscard]] QVariant background(const retrieval::RecommendedItem& item) const;

  retrieval::Recommendation list_;
  std::vector<Move> moves_;
  QString scoreName_;
  std::set<std::string> ambiguous_;  ///< titles of several items
};

/// A score or cosine as shown in lists: four decimals, a real minus sign.
QString scoreText(double score);
/// "80 %" of a share in [0, 1].
QString percentText(double share);
/// The title, or the id in words where the catalogue has none.
QString titleText(const std::string& title, const std::string& id);

}  // namespace parapet::ui

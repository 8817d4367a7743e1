// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"
#include "engine/retrieval/recommender.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// The share of each feature of a query in a score: the score with it and without it.
class FeatureSharesModel : public RowsModel<retrieval::FeatureShare> {
  Q_OBJECT

 public:
  enum Column { kFeature, kValue, kWithout, kShare, kColumnCount };
  explicit FeatureSharesModel(QObject* parent = nullptr);

  void setShares(std::vector<retrieval::FeatureShare> shares) { replaceRows(std::move(shares)); }
};

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

/// One term of a dot product.
struct ScoreTerm {
  int dimension = 0;
  float value = 0.0f;
  double runningSum = 0.0;  ///< of this and all terms above it
};

/// A score term by term: query[d]·candidate[d], the largest in size first.
class ExplanationModel : public RowsModel<ScoreTerm> {
  Q_OBJECT

 public:
  enum Column { kDimension, kValue, kRunningSum, kColumnCount };
  using Term = ScoreTerm;
  explicit ExplanationModel(QObject* parent = nullptr);

  void setTerms(const std::vector<float>& terms);
  [[nodiscard]] const std::vector<Term>& terms() const { return rows(); }
  /// Equals the score up to rounding.
  [[nodiscard]] double sum() const { return terms().empty() ? 0.0 : terms().back().runningSum; }
};

}  // namespace parapet::ui

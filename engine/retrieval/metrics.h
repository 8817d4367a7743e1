// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/run_event.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

/// The one definition of dcg@k and ndcg@k, of a list of items or rows ranked from 1:
///
///   dcg@k  = Σ_{rank ≤ k} w·gain(y) · rankDiscount(rank)
///   ndcg@k = dcg@k over that of the best order of the same list
///
/// A list of the catalogue has labels y of 0 or 1 and weights of 1, so its gains are 0 or 1.
///
/// Source   Burges et al., "Learning to Rank using Gradient Descent" (2005), for the gain 2^y − 1;
///          Järvelin, Kekäläinen (2002) for the discount.

/// 1 / log2(rank + 1), for ranks from 1.
inline double rankDiscount(std::int64_t rank) {
  return 1.0 / std::log2(static_cast<double>(rank) + 1.0);
}

/// 2^label − 1.
inline double gain(double label) {
  return std::exp2(label) - 1.0;
}

/// Ranking metrics of the catalogue over queries as sums and counts, so that parts merge exactly. A
/// query without a relevant held-out item does not count. Relevance is binary.
///
///   recall@k = |top-k ∩ relevant| / |relevant|
///   precision@k = |top-k ∩ relevant| / min(k, length of the list)
///   map@k    = Σ over the relevant items at a rank r ≤ k of (relevant among the first r)/r, over
///              |relevant|
///   ndcg@k   = see rankDiscount(), with the label 1 of a relevant item and 0 of others; the
///              best order has the relevant items on the first min(k, |relevant|) ranks
///   hit@k    = 1 if any of the top-k is relevant
///   mrr      = 1 / rank of the first relevant item in the list; 0 if there is none
///
/// Under kYambda recall@k = |top-k ∩ relevant| / min(k, |relevant|); under kYambdaCompat ndcg@k is
/// hit@k, besides, since the stored code of the benchmark divides by the gain of the order found.
/// An answer with such values names the protocol.
///
/// For one list that holds the whole catalogue they equal those of ListMetrics, with labels of 0
/// and 1, except mrr, which here looks at max(ks) ranks. The means differ: ListMetrics counts lists
/// without a relevant row as 0, since such a list was shown; a user without a relevant held-out
/// item is no query.
///
/// Thread   not shared; merge() afterwards.
class RankingMetrics {
 public:
  /// `ks` ascending, each ≥ 1; InvalidArgument otherwise. Of `metrics` those that a single list
  /// has.
  explicit RankingMetrics(
      std::vector<std::int64_t> ks,
      const std::vector<experiment::RankingMetric>& metrics = experiment::Evaluation{}.metrics,
      std::optional<experiment::EvaluationProtocol> benchmark = std::nullopt);
  /// The values of one list in the order of values(). `list` best first, at least max(ks) long
  /// where the catalogue allows; `relevant` ascending rows, at least one.
  [[nodiscard]] std::vector<double> ofList(std::span<const Scored> list,
                                           std::span<const std::int32_t> relevant) const;
  /// Adds a query by the values of its list.
  void add(std::span<const double> valuesOfList);
  /// Adds a query, unless nothing is relevant to it.
  void add(std::span<const Scored> list, std::span<const std::int32_t> relevant);
  void merge(const RankingMetrics& other);
  [[nodiscard]] std::int64_t queries() const { return queries_; }
  [[nodiscard]] std::size_t metricCount() const { return sums_.size(); }
  /// In the order of values().
  [[nodiscard]] std::vector<std::string> keys() const;
  /// "recall@10", "ndcg@10", "hit@10", …, "mrr", each after `prefix`; empty if no query counted.
  [[nodiscard]] std::vector<experiment::Metric> values(const std::string& prefix = "") const;

 private:
  std::vector<std::int64_t> ks_;
  std::vector<experiment::RankingMetric> ofK_;  ///< metrics with a value for each k
  bool mrr_ = false;
  std::optional<experiment::EvaluationProtocol> benchmark_;
  std::vector<double> sums_;  ///< by k those of ofK_; mrr
  std::int64_t queries_ = 0;
};

/// Metrics of all lists together, as counts of how often each item is listed among the first k:
///
///   coverage@k   = items that are in a list / candidates
///   popularity@k = the mean over the positions of all lists of the training rows of the item
///   novelty@k    = the mean of −log2 of the item's share (rows + 1) / (Σ rows + candidates)
///   gini@k       = Σ_i (2i − n − 1)·x_i / (n·Σ x), x ascending counts of the n candidates: 0 if
///                  all are listed as often, near 1 if few are
///
/// Source   Castells, Vargas, Wang, "Novelty and Diversity Metrics for Recommender Systems" (2011).
/// Memory   4 bytes per item and k; none if no metric is wanted.
/// Thread   not shared.
class ListingMetrics {
 public:
  /// Keeps those of `metrics` that are measured over all lists together. `popularity`: training
  /// rows by item row; `eligible` marks candidates. Both must outlive it.
  ListingMetrics(std::vector<std::int64_t> ks,
                 const std::vector<experiment::RankingMetric>& metrics,
                 std::span<const std::int64_t> popularity, std::span<const std::uint8_t> eligible);
  void add(std::span<const Scored> list);
  /// Empty without a list.
  [[nodiscard]] std::vector<experiment::Metric> values() const;

 private:
  std::vector<std::int64_t> ks_;
  std::vector<experiment::RankingMetric> metrics_;
  std::span<const std::int64_t> popularity_;
  std::span<const std::uint8_t> eligible_;
  std::vector<std::vector<std::uint32_t>> counts_;  ///< by k, item row
};

}  // namespace parapet::retrieval

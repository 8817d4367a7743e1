// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/run_event.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

/// Ranking metrics of the catalogue over users as sums and counts, so that parts merge exactly. A
/// user without a relevant held-out item does not count. Relevance is binary.
///
///   recall@k = |top-k ∩ relevant| / |relevant|
///   ndcg@k   = see discounted_gain.h, with the label 1 of a relevant item and 0 of others; the
///              best order has the relevant items on the first min(k, |relevant|) ranks
///   hit@k    = 1 if any of the top-k is relevant
///   mrr      = 1 / rank of the first relevant item in the list; 0 if there is none
///
/// For one list that holds the whole catalogue, recall@k and ndcg@k equal those of ListMetrics,
/// with labels of 0 and 1. The means differ: ListMetrics counts lists without a relevant row as 0,
/// since such a list was shown; a user without a relevant held-out item is no query.
///
/// Thread   not shared; merge() afterwards.
class RankingMetrics {
 public:
  /// `ks` ascending, each ≥ 1; InvalidArgument otherwise.
  explicit RankingMetrics(std::vector<std::int64_t> ks);
  /// The values of one list in the order of values(). `list` best first, at least max(ks) long
  /// where the catalogue allows; `relevant` ascending rows, at least one.
  [[nodiscard]] std::vector<double> ofList(std::span<const Scored> list,
                                           std::span<const std::int32_t> relevant) const;
  /// Adds a user by the values of its list.
  void add(std::span<const double> valuesOfList);
  /// Adds a user, unless nothing is relevant to it.
  void add(std::span<const Scored> list, std::span<const std::int32_t> relevant);
  void merge(const RankingMetrics& other);
  [[nodiscard]] std::int64_t users() const { return users_; }
  [[nodiscard]] std::size_t metricCount() const { return sums_.size(); }
  /// "recall@10", "ndcg@10", "hit@10", …, "mrr", each after `prefix`; empty if no user counted.
  [[nodiscard]] std::vector<experiment::Metric> values(const std::string& prefix = "") const;

 private:
  std::vector<std::int64_t> ks_;
  std::vector<double> sums_;  ///< recall, ndcg, hit of each k; mrr
  std::int64_t users_ = 0;
};

}  // namespace parapet::retrieval

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/run_event.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

/// Ranking metrics over users as sums and counts, so that parts merge exactly. A user without a
/// relevant held-out item does not count. Relevance is binary.
///
///   recall@k = |top-k ∩ relevant| / |relevant|
///   ndcg@k   = DCG@k / IDCG@k,  DCG@k = Σ_{rank ≤ k} relevant(rank) / log2(rank + 1),
///              IDCG@k over min(k, |relevant|) leading ranks
///   hit@k    = 1 if any of the top-k is relevant;   mrr = 1 / rank of the first relevant in the
///   list
///
/// Thread   not shared; merge() afterwards.
class RankingMetrics {
 public:
  /// `ks` ascending, each ≥ 1.
  explicit RankingMetrics(std::vector<std::int64_t> ks);
  /// `list` best first, at least max(ks) long where the catalogue allows; `relevant` ascending
  /// rows.
  void add(std::span<const Scored> list, std::span<const std::int32_t> relevant);
  void merge(const RankingMetrics& other);
  [[nodiscard]] std::int64_t users() const { return users_; }
  /// "recall@10", "ndcg@10", "hit@10", …, "mrr", each behind `prefix`; empty if no user counted.
  [[nodiscard]] std::vector<experiment::Metric> values(const std::string& prefix) const;

 private:
  std::vector<std::int64_t> ks_;
  std::vector<double> recall_, ndcg_, hit_;
  double mrr_ = 0.0;
  std::int64_t users_ = 0;
};

}  // namespace parapet::retrieval

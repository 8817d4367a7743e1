// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/result.h"

namespace parapet::retrieval {

RankingMetrics::RankingMetrics(std::vector<std::int64_t> ks)
    : ks_(std::move(ks)), recall_(ks_.size()), ndcg_(ks_.size()), hit_(ks_.size()) {
  for (std::size_t i = 0; i < ks_.size(); ++i)
    if (ks_[i] < 1 || (i > 0 && ks_[i] <= ks_[i - 1]))
      throw InvalidArgument(
          fmt::format("[retrieval.RankingMetrics] ks must ascend from at least 1; found {}",
                      fmt::join(ks_, ", ")));
}

void RankingMetrics::add(std::span<const Scored> list, std::span<const std::int32_t> relevant) {
  if (relevant.empty()) return;
  ++users_;
  std::int64_t hits = 0;
  double gain = 0.0, ideal = 0.0, reciprocal = 0.0;
  std::size_t cut = 0;
  const auto relevantCount = static_cast<std::int64_t>(relevant.size());
  const std::int64_t last = ks_.empty() ? 0 : ks_.back();
  for (std::int64_t rank = 1; rank <= last; ++rank) {
    const double discount = 1.0 / std::log2(static_cast<double>(rank) + 1.0);
    if (rank <= relevantCount) ideal += discount;
    const auto at = static_cast<std::size_t>(rank - 1);
    if (at < list.size() && std::binary_search(relevant.begin(), relevant.end(), list[at].row)) {
      ++hits;
      gain += discount;
      if (reciprocal == 0.0) reciprocal = 1.0 / static_cast<double>(rank);
    }
    if (rank != ks_[cut]) continue;
    recall_[cut] += static_cast<double>(hits) / static_cast<double>(relevantCount);
    ndcg_[cut] += gain / ideal;
    hit_[cut] += hits > 0 ? 1.0 : 0.0;
    ++cut;
  }
  mrr_ += reciprocal;
}

void RankingMetrics::merge(const RankingMetrics& other) {
  if (other.ks_ != ks_) throw InvalidArgument("[retrieval.RankingMetrics] merge of different ks");
  for (std::size_t i = 0; i < ks_.size(); ++i) {
    recall_[i] += other.recall_[i];
    ndcg_[i] += other.ndcg_[i];
    hit_[i] += other.hit_[i];
  }
  mrr_ += other.mrr_;
  users_ += other.users_;
}

std::vector<experiment::Metric> RankingMetrics::values(const std::string& prefix) const {
  std::vector<experiment::Metric> out;
  if (users_ == 0) return out;
  const auto users = static_cast<double>(users_);
  for (std::size_t i = 0; i < ks_.size(); ++i) {
    out.emplace_back(fmt::format("{}recall@{}", prefix, ks_[i]), recall_[i] / users);
    out.emplace_back(fmt::format("{}ndcg@{}", prefix, ks_[i]), ndcg_[i] / users);
    out.emplace_back(fmt::format("{}hit@{}", prefix, ks_[i]), hit_[i] / users);
  }
  out.emplace_back(prefix + "mrr", mrr_ / users);
  return out;
}

}  // namespace parapet::retrieval

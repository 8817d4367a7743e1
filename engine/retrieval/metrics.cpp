// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/result.h"
#include "engine/retrieval/discounted_gain.h"

namespace parapet::retrieval {
namespace {

constexpr std::size_t kPerK = 3;  // recall, ndcg, hit

}  // namespace

RankingMetrics::RankingMetrics(std::vector<std::int64_t> ks)
    : ks_(std::move(ks)), sums_(kPerK * ks_.size() + 1) {
  for (std::size_t i = 0; i < ks_.size(); ++i)
    if (ks_[i] < 1 || (i > 0 && ks_[i] <= ks_[i - 1]))
      throw InvalidArgument(
          fmt::format("[retrieval.RankingMetrics] ks must ascend from at least 1; found {}",
                      fmt::join(ks_, ", ")));
}

std::vector<double> RankingMetrics::ofList(std::span<const Scored> list,
                                           std::span<const std::int32_t> relevant) const {
  std::vector<double> values;
  values.reserve(sums_.size());
  std::int64_t hits = 0;
  double found = 0.0, ideal = 0.0, reciprocal = 0.0;
  const auto relevantCount = static_cast<std::int64_t>(relevant.size());
  const std::int64_t last = ks_.empty() ? 0 : ks_.back();
  for (std::int64_t rank = 1; rank <= last; ++rank) {
    if (rank <= relevantCount) ideal += rankDiscount(rank);
    const auto at = static_cast<std::size_t>(rank - 1);
    if (at < list.size() && std::ranges::binary_search(relevant, list[at].row)) {
      ++hits;
      found += rankDiscount(rank);
      if (reciprocal == 0.0) reciprocal = 1.0 / static_cast<double>(rank);
    }
    if (rank != ks_[values.size() / kPerK]) continue;
    values.push_back(static_cast<double>(hits) / static_cast<double>(relevantCount));
    values.push_back(found / ideal);
    values.push_back(hits > 0 ? 1.0 : 0.0);
  }
  values.push_back(reciprocal);
  return values;
}

void RankingMetrics::add(std::span<const double> valuesOfList) {
  ++users_;
  std::ranges::transform(sums_, valuesOfList, sums_.begin(), std::plus{});
}

void RankingMetrics::add(std::span<const Scored> list, std::span<const std::int32_t> relevant) {
  if (!relevant.empty()) add(ofList(list, relevant));
}

void RankingMetrics::merge(const RankingMetrics& other) {
  if (other.ks_ != ks_) throw InvalidArgument("[retrieval.RankingMetrics] merge of different ks");
  std::ranges::transform(sums_, other.sums_, sums_.begin(), std::plus{});
  users_ += other.users_;
}

std::vector<experiment::Metric> RankingMetrics::values(const std::string& prefix) const {
  std::vector<experiment::Metric> out;
  if (users_ == 0) return out;
  const auto add = [&](const std::string& key) {
    out.emplace_back(prefix + key, sums_[out.size()] / static_cast<double>(users_));
  };
  for (const std::int64_t k : ks_)
    for (const char* name : {"recall", "ndcg", "hit"}) add(fmt::format("{}@{}", name, k));
  add("mrr");
  return out;
}

}  // namespace parapet::retrieval

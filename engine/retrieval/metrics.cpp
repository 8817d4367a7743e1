// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/result.h"

namespace parapet::retrieval {

using experiment::MetricScope;
using experiment::RankingMetric;

RankingMetrics::RankingMetrics(std::vector<std::int64_t> ks,
                               const std::vector<RankingMetric>& metrics,
                               std::optional<experiment::EvaluationProtocol> benchmark)
    : ks_(std::move(ks)), benchmark_(benchmark) {
  for (std::size_t i = 0; i < ks_.size(); ++i)
    if (ks_[i] < 1 || (i > 0 && ks_[i] <= ks_[i - 1]))
      throw InvalidArgument(
          fmt::format("[retrieval.RankingMetrics] ks must ascend from at least 1; found {}",
                      fmt::join(ks_, ", ")));
  for (const RankingMetric metric : metrics) {
    const MetricScope scope = traitsOf(metric).scope;
    mrr_ = mrr_ || scope == MetricScope::kWhole;
    if (scope == MetricScope::kFirstK) ofK_.push_back(metric);
  }
  sums_.resize(ofK_.size() * ks_.size() + (mrr_ ? 1 : 0));
}

std::vector<double> RankingMetrics::ofList(std::span<const Scored> list,
                                           std::span<const std::int32_t> relevant) const {
  std::vector<double> values;
  values.reserve(sums_.size());
  std::int64_t hits = 0;
  double found = 0.0, ideal = 0.0, precisions = 0.0, reciprocal = 0.0;
  const auto relevantCount = static_cast<std::int64_t>(relevant.size());
  const std::int64_t last = ks_.empty() ? 0 : ks_.back();
  auto k = ks_.begin();
  for (std::int64_t rank = 1; rank <= last; ++rank) {
    if (rank <= relevantCount) ideal += rankDiscount(rank);
    const auto at = static_cast<std::size_t>(rank - 1);
    if (at < list.size() && std::ranges::binary_search(relevant, list[at].item)) {
      ++hits;
      found += rankDiscount(rank);
      precisions += static_cast<double>(hits) / static_cast<double>(rank);
      if (reciprocal == 0.0) reciprocal = 1.0 / static_cast<double>(rank);
    }
    if (rank != *k) continue;
    ++k;
    const auto positions = static_cast<double>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(list.size()), 1, rank));
    const double hit = hits > 0 ? 1.0 : 0.0;
    const auto findable =
        static_cast<double>(benchmark_ ? std::min(rank, relevantCount) : relevantCount);
    const bool compat = benchmark_ == experiment::EvaluationProtocol::kYambdaCompat;
    for (const RankingMetric metric : ofK_)
      values.push_back(metric == RankingMetric::kRecall ? static_cast<double>(hits) / findable
                       : metric == RankingMetric::kNdcg ? (compat ? hit : found / ideal)
                       : metric == RankingMetric::kHit  ? hit
                       : metric == RankingMetric::kMap
                           ? precisions / static_cast<double>(relevantCount)
                           : static_cast<double>(hits) / positions);
  }
  if (mrr_) values.push_back(reciprocal);
  return values;
}

void RankingMetrics::add(std::span<const double> valuesOfList) {
  ++queries_;
  std::ranges::transform(sums_, valuesOfList, sums_.begin(), std::plus{});
}

void RankingMetrics::add(std::span<const Scored> list, std::span<const std::int32_t> relevant) {
  if (!relevant.empty()) add(ofList(list, relevant));
}

void RankingMetrics::merge(const RankingMetrics& other) {
  if (other.ks_ != ks_ || other.ofK_ != ofK_ || other.mrr_ != mrr_ ||
      other.benchmark_ != benchmark_)
    throw InvalidArgument("[retrieval.RankingMetrics] merge of different ks or metrics");
  std::ranges::transform(sums_, other.sums_, sums_.begin(), std::plus{});
  queries_ += other.queries_;
}

std::vector<std::string> RankingMetrics::keys() const {
  std::vector<std::string> keys;
  for (const std::int64_t k : ks_)
    for (const RankingMetric metric : ofK_)
      keys.push_back(fmt::format("{}{}", traitsOf(metric).key(), k));
  if (mrr_) keys.push_back(traitsOf(RankingMetric::kMrr).key());
  return keys;
}

std::vector<experiment::Metric> RankingMetrics::values(const std::string& prefix) const {
  std::vector<experiment::Metric> out;
  if (queries_ == 0) return out;
  for (const std::string& key : keys())
    out.emplace_back(prefix + key, sums_[out.size()] / static_cast<double>(queries_));
  return out;
}

ListingMetrics::ListingMetrics(std::vector<std::int64_t> ks,
                               const std::vector<RankingMetric>& metrics,
                               std::span<const std::int64_t> popularity,
                               std::span<const std::uint8_t> eligible)
    : ks_(std::move(ks)), popularity_(popularity), eligible_(eligible) {
  for (const RankingMetric metric : metrics)
    if (traitsOf(metric).scope == MetricScope::kAllLists) metrics_.push_back(metric);
  if (!metrics_.empty()) counts_.assign(ks_.size(), std::vector<std::uint32_t>(eligible_.size()));
}

void ListingMetrics::add(std::span<const Scored> list) {
  for (std::size_t i = 0; i < counts_.size(); ++i)
    for (const Scored& item : list.first(std::min(list.size(), static_cast<std::size_t>(ks_[i]))))
      ++counts_[i][static_cast<std::size_t>(item.item)];
}

std::vector<experiment::Metric> ListingMetrics::values() const {
  std::vector<experiment::Metric> out;
  double rows = 0.0, candidates = 0.0;
  for (std::size_t item = 0; item < eligible_.size(); ++item)
    if (eligible_[item]) {
      rows += static_cast<double>(popularity_[item]);
      candidates += 1.0;
    }
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    std::vector<std::uint32_t> listed;
    double positions = 0.0, popularity = 0.0, novelty = 0.0, covered = 0.0, weighted = 0.0;
    for (std::size_t item = 0; item < eligible_.size(); ++item) {
      if (!eligible_[item]) continue;
      const auto count = static_cast<double>(counts_[i][item]);
      const auto itemRows = static_cast<double>(popularity_[item]);
      listed.push_back(counts_[i][item]);
      positions += count;
      covered += count > 0.0 ? 1.0 : 0.0;
      popularity += count * itemRows;
      novelty -= count * std::log2((itemRows + 1.0) / (rows + candidates));
    }
    if (positions == 0.0) continue;
    std::ranges::sort(listed);
    for (std::size_t at = 0; at < listed.size(); ++at)
      weighted +=
          (2.0 * static_cast<double>(at + 1) - candidates - 1.0) * static_cast<double>(listed[at]);
    for (const RankingMetric metric : metrics_)
      out.emplace_back(fmt::format("{}{}", traitsOf(metric).key(), ks_[i]),
                       metric == RankingMetric::kCoverage     ? covered / candidates
                       : metric == RankingMetric::kPopularity ? popularity / positions
                       : metric == RankingMetric::kNovelty    ? novelty / positions
                                                           : weighted / (candidates * positions));
  }
  return out;
}

}  // namespace parapet::retrieval

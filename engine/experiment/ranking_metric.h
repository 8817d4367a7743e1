// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

// A table with a row for each metric of lists of the catalogue. To add a metric: an enumerator, its
// row, and its formula in retrieval::RankingMetrics or retrieval::ListingMetrics.

namespace parapet::experiment {

enum class RankingMetric {
  kRecall,
  kNdcg,
  kHit,
  kMrr,
  kMap,
  kPrecision,
  kCoverage,
  kPopularity,
  kNovelty,
  kGini,
};

/// The lists that a metric has a value for.
enum class MetricScope {
  kFirstK,    ///< the first k of each list, for every k
  kWhole,     ///< each list, up to the largest k
  kAllLists,  ///< the first k of all lists together, for every k
};

struct RankingMetricTraits {
  RankingMetric kind;
  std::string_view word;  ///< in documents and keys
  const char* name;       ///< for people
  MetricScope scope = MetricScope::kFirstK;
  bool smallerIsBetter = false;

  /// "recall@", "mrr": the key of the metric, before its k if it has one.
  [[nodiscard]] std::string key() const {
    return std::string(word) + (scope == MetricScope::kWhole ? "" : "@");
  }
};

/// In the order of the enumerators.
inline constexpr std::array kRankingMetrics = [] {
  using enum RankingMetric;
  using enum MetricScope;
  return std::to_array<RankingMetricTraits>({
      {kRecall, "recall", "Recall"},
      {kNdcg, "ndcg", "nDCG"},
      {kHit, "hit", "Hit rate"},
      {kMrr, "mrr", "MRR", kWhole},
      {kMap, "map", "MAP"},
      {kPrecision, "precision", "Precision"},
      {kCoverage, "coverage", "Coverage", kAllLists},
      {kPopularity, "popularity", "Popularity", kAllLists, true},
      {kNovelty, "novelty", "Novelty", kAllLists},
      {kGini, "gini", "Gini index", kAllLists, true},
  });
}();

constexpr const RankingMetricTraits& traitsOf(RankingMetric metric) {
  return kRankingMetrics[static_cast<std::size_t>(metric)];
}

static_assert(std::ranges::is_sorted(kRankingMetrics, {}, &RankingMetricTraits::kind) &&
              traitsOf(RankingMetric::kGini).kind == RankingMetric::kGini);

}  // namespace parapet::experiment

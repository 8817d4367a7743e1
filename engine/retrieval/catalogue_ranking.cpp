// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/catalogue_ranking.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/retrieval/candidates.h"
#include "engine/retrieval/paired_sums.h"
#include "engine/retrieval/top_k.h"

namespace parapet::retrieval {

CatalogueRanking::CatalogueRanking(const data::Vocabulary& items, const Interactions& interactions,
                                   experiment::SplitPart part, RankingProtocol protocol)
    : items_(items),
      interactions_(interactions),
      part_(part),
      protocol_(std::move(protocol)),
      popular_(protocol_.k) {}

void CatalogueRanking::findUsers() {
  if (users_) return;
  users_.emplace();
  for (std::int32_t user = 1; user < interactions_.users(); ++user)
    if (!relevant(user).empty()) users_->push_back(user);
}

void CatalogueRanking::rankByPopularity() {
  findUsers();
  if (!popularValues_.empty() || users_->empty()) return;
  std::vector<Scored> byPopularity;
  for (std::int64_t row = 1; row < items_.size(); ++row)
    if (items_.isCandidate(row))
      byPopularity.push_back(
          {static_cast<std::int32_t>(row),
           static_cast<float>(interactions_.popularity()[static_cast<std::size_t>(row)])});
  std::ranges::stable_sort(byPopularity, isBetter);
  std::vector<Scored> list;
  for (const std::int32_t user : *users_) {
    const auto seen = interactions_.seen(protocol_.seen, user);
    list.clear();
    for (const Scored& item : byPopularity) {
      if (static_cast<std::int64_t>(list.size()) == protocol_.k.back()) break;
      if (!std::ranges::binary_search(seen, item.row)) list.push_back(item);
    }
    const std::vector<double> values = popular_.ofList(list, relevant(user));
    popular_.add(values);
    popularValues_.insert(popularValues_.end(), values.begin(), values.end());
  }
}

CatalogueRanking::Measured CatalogueRanking::measure(std::span<const float> queries,
                                                     std::span<const float> candidates,
                                                     std::int64_t dim, Workers& workers) {
  rankByPopularity();
  if (users_->empty()) return {};
  std::vector<float> vectors;
  vectors.reserve(users_->size() * static_cast<std::size_t>(dim));
  for (const std::int32_t user : *users_) {
    const auto vector =
        queries.subspan(static_cast<std::size_t>(user * dim), static_cast<std::size_t>(dim));
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  const auto lists = topK(
      vectors, candidates, dim, candidateMask(items_), protocol_.k.back(),
      [&](std::int64_t query) {
        return interactions_.seen(protocol_.seen, (*users_)[static_cast<std::size_t>(query)]);
      },
      workers);
  RankingMetrics metrics(protocol_.k);
  std::vector<PairedSums> paired(metrics.metricCount());
  for (std::size_t i = 0; i < users_->size(); ++i) {
    const std::vector<double> values = metrics.ofList(lists[i], relevant((*users_)[i]));
    for (std::size_t at = 0; at < values.size(); ++at)
      paired[at].add(values[at] - static_cast<double>(popularValues_[i * values.size() + at]));
    metrics.add(values);
  }
  Measured measured{metrics.values(), {}};
  for (const PairedSums& sums : paired) measured.fromMostPopular.push_back(sums.result());
  return measured;
}

experiment::Baselines CatalogueRanking::baselines() {
  rankByPopularity();
  experiment::Baselines baselines{{"most_popular", {}}, {"random", {}}};
  if (users_->empty()) return baselines;
  baselines[0].second = popular_.values();
  const auto total = static_cast<double>(candidateCount(items_));
  for (const std::int64_t k : protocol_.k) {
    double recall = 0.0;
    for (const std::int32_t user : *users_) {
      const auto seen = static_cast<double>(interactions_.seen(protocol_.seen, user).size());
      recall += std::min(1.0, static_cast<double>(k) / std::max(1.0, total - seen));
    }
    baselines[1].second.emplace_back(fmt::format("recall@{}", k),
                                     recall / static_cast<double>(users_->size()));
  }
  return baselines;
}

}  // namespace parapet::retrieval

// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/retrieval/metrics.h"

namespace parapet::retrieval {
namespace {

std::span<const std::int32_t> seenItems(const Interactions& interactions, SeenItems seen,
                                        std::int32_t user) {
  switch (seen) {
    case SeenItems::kKeep:
      return {};
    case SeenItems::kExcludeTrain:
      return interactions.items(Part::kTrain, user);
    case SeenItems::kExcludeAll:
      return interactions.allItems(user);
  }
  return {};
}

}  // namespace

const data::RowSet& rowsOf(const data::Split& split, Part part) {
  return part == Part::kTrain ? split.train : part == Part::kTest ? split.test : split.validation;
}

std::vector<std::uint8_t> eligibleRows(const data::Vocabulary& items) {
  std::vector<std::uint8_t> eligible(static_cast<std::size_t>(items.size()));
  for (std::int64_t row = 0; row < items.size(); ++row)
    eligible[static_cast<std::size_t>(row)] = items.isCandidate(row) ? 1 : 0;
  return eligible;
}

std::vector<experiment::Metric> rankingMetrics(std::span<const float> queries,
                                               std::span<const float> candidates, std::int64_t dim,
                                               const data::Vocabulary& items, Part part,
                                               const Interactions& interactions,
                                               const RankingProtocol& protocol,
                                               const std::string& prefix, Workers& workers) {
  std::vector<std::int32_t> users;
  std::vector<std::span<const std::int32_t>> relevant;
  for (std::int32_t user = 1; user < interactions.users(); ++user) {
    const auto of = interactions.relevant(part, user, protocol.relevantFrom);
    if (of.empty()) continue;
    users.push_back(user);
    relevant.push_back(of);
  }
  RankingMetrics metrics(protocol.k);
  if (users.empty()) return {};
  std::vector<float> vectors(users.size() * static_cast<std::size_t>(dim));
  for (std::size_t i = 0; i < users.size(); ++i)
    std::copy_n(queries.data() + users[i] * dim, dim,
                vectors.data() + static_cast<std::int64_t>(i) * dim);
  const auto lists = topK(
      vectors, candidates, dim, eligibleRows(items), protocol.k.back(),
      [&](std::int64_t query) {
        return seenItems(interactions, protocol.seen, users[static_cast<std::size_t>(query)]);
      },
      workers);
  for (std::size_t i = 0; i < users.size(); ++i) metrics.add(lists[i], relevant[i]);
  return metrics.values(prefix);
}

Baselines rankingBaselines(const data::Vocabulary& items, Part part,
                           const Interactions& interactions, const RankingProtocol& protocol) {
  std::vector<Scored> byPopularity;
  for (std::int64_t row = 1; row < items.size(); ++row)
    if (items.isCandidate(row))
      byPopularity.push_back(
          {static_cast<std::int32_t>(row),
           static_cast<float>(interactions.popularity()[static_cast<std::size_t>(row)])});
  std::stable_sort(byPopularity.begin(), byPopularity.end(),
                   [](const Scored& a, const Scored& b) { return a.score > b.score; });

  RankingMetrics popular(protocol.k);
  std::vector<double> randomRecall(protocol.k.size());
  std::vector<Scored> list;
  for (std::int32_t user = 1; user < interactions.users(); ++user) {
    const auto relevant = interactions.relevant(part, user, protocol.relevantFrom);
    if (relevant.empty()) continue;
    const auto seen = seenItems(interactions, protocol.seen, user);
    list.clear();
    for (const Scored& item : byPopularity) {
      if (static_cast<std::int64_t>(list.size()) == protocol.k.back()) break;
      if (!std::binary_search(seen.begin(), seen.end(), item.row)) list.push_back(item);
    }
    popular.add(list, relevant);
    const double candidates = std::max(1.0, static_cast<double>(byPopularity.size() - seen.size()));
    for (std::size_t i = 0; i < protocol.k.size(); ++i)
      randomRecall[i] += std::min(1.0, static_cast<double>(protocol.k[i]) / candidates);
  }
  Baselines baselines;
  baselines.emplace_back("most_popular", popular.values(""));
  std::vector<experiment::Metric> random;
  if (popular.users() > 0)
    for (std::size_t i = 0; i < protocol.k.size(); ++i)
      random.emplace_back(fmt::format("recall@{}", protocol.k[i]),
                          randomRecall[i] / static_cast<double>(popular.users()));
  baselines.emplace_back("random", std::move(random));
  return baselines;
}

}  // namespace parapet::retrieval

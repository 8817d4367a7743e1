// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"
#include "engine/experiment/run_event.h"
#include "engine/retrieval/interactions.h"

namespace parapet::retrieval {

/// How ranking metrics are measured; the same for a model and its baselines.
struct RankingProtocol {
  std::vector<std::int64_t> k;
  SeenItems seen = SeenItems::kKeep;
  std::optional<double> relevantFrom;  ///< raw label
};

/// Baselines by name, each with unprefixed metric keys.
using Baselines = std::vector<std::pair<std::string, std::vector<experiment::Metric>>>;

/// What trivial rankings of the catalogue reach on a part of the split:
///
///   most_popular  items by training rows, ties by row: recall@k, ndcg@k, hit@k, mrr
///   random        the expected recall@k of a random order: mean over users of k / candidates
///
/// Thread   pure.
Baselines rankingBaselines(const data::Vocabulary& items, Part part,
                           const Interactions& interactions, const RankingProtocol& protocol);

/// Ranking metrics of a model's vectors on a part of the split, over all users with relevant items.
/// Shapes as in ModelSnapshot.
std::vector<experiment::Metric> rankingMetrics(std::span<const float> queries,
                                               std::span<const float> candidates, std::int64_t dim,
                                               const data::Vocabulary& items, Part part,
                                               const Interactions& interactions,
                                               const RankingProtocol& protocol,
                                               const std::string& prefix, Workers& workers);

/// The rows of a part.
const data::RowSet& rowsOf(const data::Split& split, Part part);

/// 1 for rows that may be recommended.
std::vector<std::uint8_t> eligibleRows(const data::Vocabulary& items);

}  // namespace parapet::retrieval

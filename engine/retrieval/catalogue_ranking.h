// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/workers.h"
#include "engine/data/dataset/vocabulary.h"
#include "engine/experiment/run_event.h"
#include "engine/retrieval/interactions.h"
#include "engine/retrieval/metrics.h"

namespace parapet::retrieval {

/// How ranking metrics are measured; the same for a model and its baselines.
struct RankingProtocol {
  std::vector<std::int64_t> k;
  SeenItems seen = SeenItems::kKeep;
  std::optional<double> relevantFrom;  ///< raw label
};

/// Rankings of the catalogue for all users with relevant items in a part of the split: those of a
/// model, and of baselines under the same protocol.
///
///   most_popular  items by training rows, ties by row: recall@k, ndcg@k, hit@k, mrr
///   random        the expected recall@k of a random order: mean over users of k / candidates
///
/// An item is relevant or not: example weights do not enter, neither here nor in the popularity.
///
/// Memory   4 bytes per user, and per user and metric, once a baseline or a model is measured.
/// Thread   one caller at a time.
class CatalogueRanking {
 public:
  /// Both references must outlive it.
  CatalogueRanking(const data::Vocabulary& items, const Interactions& interactions,
                   experiment::SplitPart part, RankingProtocol protocol);

  struct Measured {
    std::vector<experiment::Metric> metrics;  ///< unprefixed keys; empty if no user counts
    /// By metric: the paired difference from the most popular items over the users.
    std::vector<experiment::PairedDifference> fromMostPopular;
  };
  /// Of a model's vectors; shapes as in ModelSnapshot.
  Measured measure(std::span<const float> queries, std::span<const float> candidates,
                   std::int64_t dim, Workers& workers);
  /// "most_popular" and "random", without metrics if no user counts.
  experiment::Baselines baselines();
  [[nodiscard]] const RankingProtocol& protocol() const { return protocol_; }

 private:
  [[nodiscard]] std::span<const std::int32_t> relevant(std::int32_t user) const {
    return interactions_.relevant(part_, user, protocol_.relevantFrom);
  }
  void findUsers();
  /// The values of every user's list of most popular items, once.
  void rankByPopularity();

  const data::Vocabulary& items_;
  const Interactions& interactions_;
  const experiment::SplitPart part_;
  const RankingProtocol protocol_;
  std::optional<std::vector<std::int32_t>> users_;
  RankingMetrics popular_;
  std::vector<float> popularValues_;  ///< [users, metrics]
};

}  // namespace parapet::retrieval

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/experiment/document.h"
#include "engine/retrieval/catalogue_ranking.h"
#include "engine/train/session.h"

namespace parapet::train {

/// Lists of the catalogue of a retrieval model, of one part of the split: over users, or over
/// held-out rows in their own context.
class CatalogueLists {
 public:
  CatalogueLists(Session& session, const experiment::Experiment& experiment,
                 const data::Split& split, const retrieval::Interactions& interactions,
                 experiment::SplitPart part);

  /// With the weights as they are now; nothing if it was stopped.
  ///
  /// Errors   those of the towers.
  Result<retrieval::CatalogueRanking::Measured> rank(const WorkContext& context = {});

  /// Vectors of all items and all queries at one step: lists can be measured from them later, while
  /// the model trains on.
  struct Snapshot {
    std::vector<float> items, queries;
    std::int64_t dim = 0;
  };
  /// Bytes of a snapshot, and products of two floats that rank() takes; 0 without queries.
  struct Cost {
    std::int64_t bytes = 0, products = 0;
  };
  [[nodiscard]] Cost cost() const;
  /// Throws data::PassStopped once `stop` fires.
  Result<Snapshot> snapshot(const std::stop_token& stop);
  /// Metrics as rank() of the snapshot's step has, bit for bit; without any if it was stopped.
  /// `beforeBlock` is called between blocks of queries, from the thread of the call.
  ///
  /// Thread   any, beside all else.
  [[nodiscard]] retrieval::CatalogueRanking::Measured rank(
      const Snapshot& snapshot, Workers& workers, std::stop_token stop,
      const std::function<void()>& beforeBlock = {}) const;

  /// The queries, their protocol and the baselines.
  [[nodiscard]] const retrieval::CatalogueRanking& ranking() const { return ranking_; }

 private:
  Session& session_;
  retrieval::CatalogueRanking ranking_;
};

/// The protocol an experiment asks for, with every k that the catalogue has items for.
retrieval::RankingProtocol rankingProtocol(const experiment::Experiment& experiment,
                                           const data::Dataset& dataset,
                                           const retrieval::Interactions& interactions,
                                           const std::string& itemColumn);

}  // namespace parapet::train

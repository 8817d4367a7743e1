// SPDX-License-Identifier: Apache-2.0
#include "engine/train/catalogue_lists.h"

#include <algorithm>
#include <optional>

#include "engine/data/dataset/event_columns.h"
#include "engine/experiment/query_context.h"
#include "engine/retrieval/row_baselines.h"
#include "engine/train/task.h"

namespace parapet::train {

using retrieval::CatalogueRanking;

namespace {

/// Without times data are in an order if the document reads them so.
std::optional<experiment::EventOrder> orderOf(const experiment::Experiment& experiment,
                                              const data::Dataset& dataset) {
  using experiment::EventOrder;
  if (!dataset.times().empty()) return EventOrder::kTime;
  const experiment::Split& split = experiment.dataset.split;
  const bool cutsByOrder =
      split.kind == experiment::SplitKind::kLeaveLast && split.order == EventOrder::kData;
  const bool readsOrder =
      std::ranges::any_of(experiment.features, [](const experiment::Feature& feature) {
        return feature.history && feature.history->order == EventOrder::kData;
      });
  return cutsByOrder || readsOrder ? std::optional(EventOrder::kData) : std::nullopt;
}

}  // namespace

retrieval::RankingProtocol rankingProtocol(const experiment::Experiment& experiment,
                                           const data::Dataset& dataset,
                                           const retrieval::Interactions& interactions,
                                           const std::string& itemColumn) {
  const experiment::Evaluation& evaluation = experiment.evaluation;
  retrieval::RankingProtocol protocol;
  protocol.cold = retrieval::coldItems(experiment, dataset, itemColumn);
  const std::int64_t candidates = retrieval::candidateCount(interactions, protocol.cold);
  for (const std::int64_t k : evaluation.k)
    if (k <= candidates) protocol.k.push_back(k);
  if (protocol.k.empty()) protocol.k.push_back(std::max<std::int64_t>(1, candidates));
  protocol.seen =
      evaluation.excludeSeen ? retrieval::SeenItems::kExcludeTrain : retrieval::SeenItems::kKeep;
  protocol.relevantFrom = evaluation.relevanceThreshold;
  protocol.unit = experiment::evaluationUnit(experiment);
  protocol.sample = evaluation.sample;
  protocol.seed = experiment.training.seed;
  protocol.metrics = evaluation.metrics;
  protocol.seenPairs = evaluation.seenPairs;
  protocol.segments = evaluation.segments;
  protocol.benchmark = evaluation.protocol;
  protocol.order = orderOf(experiment, dataset);
  protocol.contexts = Task::of(experiment.model.kind).listColumns(experiment);
  return protocol;
}

CatalogueLists::CatalogueLists(Session& session, const experiment::Experiment& experiment,
                               const data::Split& split,
                               const retrieval::Interactions& interactions,
                               experiment::SplitPart part)
    : session_(session),
      ranking_(session.dataset(), session.model().queryColumn, interactions, part,
               retrieval::rowsOf(split, part),
               rankingProtocol(experiment, session.dataset(), interactions,
                               session.model().candidateColumn)) {}

Result<retrieval::CatalogueRanking::Measured> CatalogueLists::rank(const WorkContext& context) try {
  const auto& queries = ranking_.queries();
  if (queries.empty()) return CatalogueRanking::Measured{};
  PARAPET_ASSIGN(const std::vector<float> items, session_.itemVectors(context.stop));
  CatalogueRanking::Pass pass(ranking_, items, session_.model().graph.cols(session_.model().query),
                              session_.workers(), context.stop);
  const std::span<const CatalogueRanking::RankedQuery> all = queries;
  if (ranking_.protocol().unit == experiment::EvaluationUnit::kUser) {
    // Vectors and lists of so many exist at a time.
    constexpr auto kBlock = static_cast<std::size_t>(retrieval::kQueriesOfTopK);
    std::vector<std::int32_t> users;
    for (std::size_t first = 0; first < all.size(); first += kBlock) {
      if (context.cancelled()) return CatalogueRanking::Measured{};
      context.report("measuring lists", static_cast<std::int64_t>(first), std::ssize(all));
      const auto block = all.subspan(first, std::min(kBlock, all.size() - first));
      users.clear();
      for (const CatalogueRanking::RankedQuery& query : block) users.push_back(query.user);
      PARAPET_ASSIGN(const std::vector<float> vectors, session_.queryVectors(users, context.stop));
      pass.add(block, vectors);
    }
    return pass.finish();
  }
  std::vector<std::int64_t> rows;
  for (const CatalogueRanking::RankedQuery& query : all) rows.push_back(query.row);
  const auto loader = session_.loader(data::RowSet(std::move(rows)));
  loader->begin(1);
  std::size_t first = 0;
  while (const data::Batch* batch = loader->next(context.stop)) {
    context.report("measuring lists", static_cast<std::int64_t>(first), std::ssize(all));
    PARAPET_ASSIGN(const std::span<const float> vectors, session_.queryVectors(*batch));
    pass.add(all.subspan(first, static_cast<std::size_t>(batch->rows)), vectors);
    first += static_cast<std::size_t>(batch->rows);
  }
  if (context.cancelled()) return CatalogueRanking::Measured{};
  return pass.finish();
} catch (const data::PassStopped&) {
  return CatalogueRanking::Measured{};
}

CatalogueLists::Cost CatalogueLists::cost() const {
  const auto queries = static_cast<std::int64_t>(ranking_.queries().size());
  const std::int64_t items =
      session_.dataset().vocabularyOf(session_.model().candidateColumn).size();
  const std::int64_t dim = session_.model().graph.cols(session_.model().query);
  if (queries == 0) return {};
  return {(items + queries) * dim * static_cast<std::int64_t>(sizeof(float)),
          queries * items * dim};
}

Result<CatalogueLists::Snapshot> CatalogueLists::snapshot(const std::stop_token& stop) {
  Snapshot snapshot;
  snapshot.dim = session_.model().graph.cols(session_.model().query);
  PARAPET_ASSIGN(snapshot.items, session_.itemVectors(stop));
  const auto& queries = ranking_.queries();
  if (ranking_.protocol().unit == experiment::EvaluationUnit::kUser) {
    std::vector<std::int32_t> users;
    for (const CatalogueRanking::RankedQuery& query : queries) users.push_back(query.user);
    PARAPET_ASSIGN(snapshot.queries, session_.queryVectors(users, stop));
    return snapshot;
  }
  std::vector<std::int64_t> rows;
  for (const CatalogueRanking::RankedQuery& query : queries) rows.push_back(query.row);
  snapshot.queries.reserve(rows.size() * static_cast<std::size_t>(snapshot.dim));
  const auto loader = session_.loader(data::RowSet(std::move(rows)));
  loader->begin(1);
  while (const data::Batch* batch = loader->next(stop)) {
    PARAPET_ASSIGN(const std::span<const float> vectors, session_.queryVectors(*batch));
    snapshot.queries.insert(snapshot.queries.end(), vectors.begin(), vectors.end());
  }
  if (stop.stop_requested()) throw data::PassStopped();
  return snapshot;
}

CatalogueRanking::Measured CatalogueLists::rank(const Snapshot& snapshot, Workers& workers,
                                                std::stop_token stop,
                                                const std::function<void()>& beforeBlock) const
    try {
  constexpr auto kBlock = static_cast<std::size_t>(retrieval::kQueriesOfTopK);
  const std::span<const CatalogueRanking::RankedQuery> all = ranking_.queries();
  const auto width = static_cast<std::size_t>(snapshot.dim);
  CatalogueRanking::Pass pass(ranking_, snapshot.items, snapshot.dim, workers, stop);
  for (std::size_t first = 0; first < all.size(); first += kBlock) {
    if (stop.stop_requested()) return {};
    if (beforeBlock) beforeBlock();
    const auto block = all.subspan(first, std::min(kBlock, all.size() - first));
    pass.add(block, std::span(snapshot.queries).subspan(first * width, block.size() * width));
  }
  return stop.stop_requested() ? CatalogueRanking::Measured{} : pass.finish();
} catch (const data::PassStopped&) {
  return {};
}

}  // namespace parapet::train

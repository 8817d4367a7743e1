// SPDX-License-Identifier: Apache-2.0
#include "engine/train/evaluator.h"

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/query_context.h"
#include "engine/retrieval/candidates.h"
#include "engine/train/loss_tracker.h"

namespace parapet::train {
namespace {

using experiment::LossKind;
using experiment::Metric;
using retrieval::CatalogueRanking;
using retrieval::RowBaseline;

void append(std::vector<Metric>& all, const std::string& prefix, const std::vector<Metric>& more) {
  for (const auto& [key, value] : more) all.emplace_back(prefix + key, value);
}

/// The smallest scaled label of a relevant row; 1 by default, as in Keras.
float scaledRelevance(const std::optional<double>& raw, const data::Dataset& dataset) {
  if (!raw) return 1.0f;
  const double low = dataset.rawLabel(0.0f), high = dataset.rawLabel(1.0f);
  // Labels are f32: rounding must not exclude those equal to the threshold.
  constexpr double kSlack = 1e-6;
  return static_cast<float>((*raw - low) / (high - low) - kSlack);
}

/// The key by which runs are judged besides their loss, without its prefix.
std::string headlineOf(const std::vector<Metric>& metrics) {
  constexpr std::string_view kPrefix = "val_";
  std::vector<std::string> keys;
  for (const auto& [key, value] : metrics) keys.push_back(std::string(kPrefix) + key);
  const std::string headline = experiment::headlineKey(keys);
  return headline.empty() ? headline : headline.substr(kPrefix.size());
}

}  // namespace

retrieval::RankingProtocol rankingProtocol(const experiment::Experiment& experiment,
                                           const data::Dataset& dataset,
                                           const std::string& itemColumn) {
  const experiment::Evaluation& evaluation = experiment.evaluation;
  retrieval::RankingProtocol protocol;
  protocol.cold = retrieval::coldItems(experiment, dataset, itemColumn);
  const std::int64_t candidates =
      retrieval::candidateCount(dataset.vocabularyOf(itemColumn), protocol.cold);
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
  if (experiment.model.kind == experiment::ModelKind::kRetrieval)
    protocol.contexts = experiment::contextColumns(experiment);
  return protocol;
}

Evaluator::Evaluator(Session& session, const experiment::Experiment& experiment,
                     const data::Split& split, const retrieval::Interactions& interactions,
                     experiment::SplitPart part)
    : session_(session),
      experiment_(experiment),
      split_(split),
      part_(part),
      catalogue_(session.dataset(), session.model().queryColumn, session.model().candidateColumn,
                 interactions, part, retrieval::rowsOf(split, part),
                 rankingProtocol(experiment, session.dataset(), session.model().candidateColumn)) {
  if (!retrieval::rowsOf(split, part).empty())
    loader_ =
        session.loader(split, part, {session.model().queryColumn, session.model().candidateColumn});
}

bool Evaluator::isRetrieval() const {
  return session_.model().kind == experiment::ModelKind::kRetrieval;
}

std::string Evaluator::headPrefix(std::size_t head) const {
  const std::string& name = session_.model().heads[head].name;
  return name.empty() ? name : name + "_";
}

std::string Evaluator::lossKey(std::size_t head) const {
  return head == 0 ? "score_loss" : headPrefix(head) + "loss";
}

retrieval::ListMetrics::Options Evaluator::lists(std::size_t head) const {
  const bool ofDataset = session_.model().heads[head].label < 0;
  return {experiment_.evaluation.k,
          ofDataset ? scaledRelevance(experiment_.evaluation.relevanceThreshold, session_.dataset())
                    : 1.0f,
          experiment_.training.seed};
}

// The lists of a retrieval model are rankings of the catalogue, whose keys groups of rows would
// repeat.
std::optional<retrieval::RowMetrics> Evaluator::rowMetrics(std::size_t head) const {
  const nn::Model::Head& of = session_.model().heads[head];
  const bool ofCatalogue = isRetrieval() && of.name.empty() && experiment::isListwise(of.loss.kind);
  if (experiment::usesNegatives(of.loss.kind) || ofCatalogue) return std::nullopt;
  return retrieval::RowMetrics(of.loss, lists(head));
}

retrieval::PredictionBlock Evaluator::block(const data::Batch& batch, std::size_t head) const {
  const std::int32_t label = session_.model().heads[head].label;
  return {{session_.predictions(head), static_cast<std::size_t>(batch.rows)},
          label < 0 ? batch.labels : batch.features[static_cast<std::size_t>(label)].dense,
          batch.weights,
          batch.features[batch.features.size() - 2].ids};
}

Result<bool> Evaluator::measureRows(Measured& measured, const std::string& prefix,
                                    std::int64_t epoch, std::stop_token stop) {
  const auto& heads = session_.model().heads;
  LossTracker tracker(session_.model());
  std::vector<std::optional<retrieval::RowMetrics>> rows;
  for (std::size_t head = 0; head < heads.size(); ++head) rows.push_back(rowMetrics(head));
  if (!comparison_) comparison_.emplace(session_.model(), session_.dataset(), split_, lists(0));
  comparison_->reset();
  loader_->begin(std::max<std::int64_t>(1, epoch));
  while (const data::Batch* batch = loader_->next(stop)) {
    PARAPET_TRY(session_.evaluate(*batch));
    tracker.add(session_.losses(), batch->rows);
    comparison_->add(block(*batch, 0), batch->features.back().ids, session_.losses()[0]);
    for (std::size_t head = 0; head < heads.size(); ++head)
      if (rows[head]) rows[head]->add(block(*batch, head));
  }
  // A part of the rows does not represent all of them.
  if (stop.stop_requested()) return false;
  measured.metrics.emplace_back(prefix + "loss", tracker.loss());
  for (std::size_t head = 0; head < heads.size(); ++head) {
    if (heads.size() > 1)
      measured.metrics.emplace_back(prefix + lossKey(head), tracker.lossOf(head));
    if (rows[head]) append(measured.metrics, prefix + headPrefix(head), rows[head]->values());
  }
  measured.verdicts = comparison_->verdicts(prefix);
  return true;
}

Result<retrieval::CatalogueRanking::Measured> Evaluator::rankCatalogue(std::stop_token stop) {
  const auto& queries = catalogue_.queries();
  if (queries.empty()) return CatalogueRanking::Measured{};
  PARAPET_ASSIGN(const std::vector<float> items, session_.itemVectors());
  CatalogueRanking::Pass pass(
      catalogue_, items, session_.model().graph.cols(session_.model().query), session_.workers());
  const std::span<const CatalogueRanking::RankedQuery> all = queries;
  if (catalogue_.protocol().unit == experiment::EvaluationUnit::kUser) {
    // Vectors and lists of so many exist at a time.
    constexpr auto kBlock = static_cast<std::size_t>(retrieval::kQueriesOfTopK);
    std::vector<std::int32_t> users;
    for (std::size_t first = 0; first < all.size(); first += kBlock) {
      if (stop.stop_requested()) return CatalogueRanking::Measured{};
      const auto block = all.subspan(first, std::min(kBlock, all.size() - first));
      users.clear();
      for (const CatalogueRanking::RankedQuery& query : block) users.push_back(query.user);
      PARAPET_ASSIGN(const std::vector<float> vectors, session_.queryVectors(users));
      pass.add(block, vectors);
    }
    return pass.finish();
  }
  std::vector<std::int64_t> rows;
  for (const CatalogueRanking::RankedQuery& query : all) rows.push_back(query.row);
  const auto loader = session_.loader(data::RowSet(std::move(rows)));
  loader->begin(1);
  std::size_t first = 0;
  while (const data::Batch* batch = loader->next(stop)) {
    PARAPET_ASSIGN(const std::span<const float> vectors, session_.queryVectors(*batch));
    pass.add(all.subspan(first, static_cast<std::size_t>(batch->rows)), vectors);
    first += static_cast<std::size_t>(batch->rows);
  }
  if (stop.stop_requested()) return CatalogueRanking::Measured{};
  return pass.finish();
}

Evaluator::CatalogueCost Evaluator::catalogueCost() const {
  if (!isRetrieval() || !loader_) return {};
  const auto queries = static_cast<std::int64_t>(catalogue_.queries().size());
  const std::int64_t items =
      session_.dataset().vocabularyOf(session_.model().candidateColumn).size();
  const std::int64_t dim = session_.model().graph.cols(session_.model().query);
  if (queries == 0) return {};
  return {(items + queries) * dim * static_cast<std::int64_t>(sizeof(float)),
          queries * items * dim};
}

Result<Evaluator::CatalogueSnapshot> Evaluator::snapshotCatalogue() {
  CatalogueSnapshot snapshot;
  snapshot.dim = session_.model().graph.cols(session_.model().query);
  PARAPET_ASSIGN(snapshot.items, session_.itemVectors());
  const auto& queries = catalogue_.queries();
  if (catalogue_.protocol().unit == experiment::EvaluationUnit::kUser) {
    std::vector<std::int32_t> users;
    for (const CatalogueRanking::RankedQuery& query : queries) users.push_back(query.user);
    PARAPET_ASSIGN(snapshot.queries, session_.queryVectors(users));
    return snapshot;
  }
  std::vector<std::int64_t> rows;
  for (const CatalogueRanking::RankedQuery& query : queries) rows.push_back(query.row);
  snapshot.queries.reserve(rows.size() * static_cast<std::size_t>(snapshot.dim));
  const auto loader = session_.loader(data::RowSet(std::move(rows)));
  loader->begin(1);
  while (const data::Batch* batch = loader->next()) {
    PARAPET_ASSIGN(const std::span<const float> vectors, session_.queryVectors(*batch));
    snapshot.queries.insert(snapshot.queries.end(), vectors.begin(), vectors.end());
  }
  return snapshot;
}

CatalogueRanking::Measured Evaluator::rank(const CatalogueSnapshot& snapshot, Workers& workers,
                                           std::stop_token stop,
                                           const std::function<void()>& beforeBlock) const {
  constexpr auto kBlock = static_cast<std::size_t>(retrieval::kQueriesOfTopK);
  const std::span<const CatalogueRanking::RankedQuery> all = catalogue_.queries();
  const auto width = static_cast<std::size_t>(snapshot.dim);
  CatalogueRanking::Pass pass(catalogue_, snapshot.items, snapshot.dim, workers);
  for (std::size_t first = 0; first < all.size(); first += kBlock) {
    if (stop.stop_requested()) return {};
    if (beforeBlock) beforeBlock();
    const auto block = all.subspan(first, std::min(kBlock, all.size() - first));
    pass.add(block, std::span(snapshot.queries).subspan(first * width, block.size() * width));
  }
  return stop.stop_requested() ? CatalogueRanking::Measured{} : pass.finish();
}

void Evaluator::addCatalogue(Measured& measured, const std::string& prefix,
                             CatalogueRanking::Measured catalogue) {
  measured.catalogue = std::move(catalogue);
  const CatalogueRanking::Measured& ranked = measured.catalogue;
  append(measured.metrics, prefix, ranked.metrics);
  const std::string headline = headlineOf(ranked.metrics);
  const auto judge = [&](const char* baseline,
                         const std::vector<experiment::PairedDifference>& paired) {
    for (std::size_t i = 0; i < paired.size(); ++i)
      if (const auto& [key, value] = ranked.metrics[i]; key == headline)
        measured.verdicts.push_back(experiment::judge(baseline, experiment::BaselineKind::kTrained,
                                                      prefix + key, value, value - paired[i].mean,
                                                      paired[i]));
  };
  judge("most_popular", ranked.fromMostPopular);
  judge("most_popular_in_context", ranked.fromMostPopularInContext);
}

Result<Evaluator::Measured> Evaluator::measure(const std::string& prefix, std::int64_t epoch,
                                               std::stop_token stop, Lists lists) {
  Measured measured;
  if (!loader_) return measured;
  Stopwatch watch;
  PARAPET_ASSIGN(const bool whole, measureRows(measured, prefix, epoch, stop));
  measured.lossSeconds = watch.seconds();
  if (!whole || !isRetrieval() || lists == Lists::kSkip) return measured;
  watch.restart();
  PARAPET_ASSIGN(auto ranked, rankCatalogue(stop));
  addCatalogue(measured, prefix, std::move(ranked));
  measured.retrievalSeconds = watch.seconds();
  return measured;
}

// A random order is a baseline of listwise losses alone.
retrieval::RowBaselineMetrics Evaluator::baseline(RowBaseline of, std::size_t head) const {
  const nn::Model::Head& output = session_.model().heads[head];
  const data::Dataset& dataset = session_.dataset();
  retrieval::RowBaselineMetrics found;
  if (rowMetrics(head) &&
      (of != RowBaseline::kRandom || experiment::isListwise(output.loss.kind))) {
    const auto labels =
        output.label < 0
            ? dataset.labels()
            : dataset.denseValues(session_.model().columns[static_cast<std::size_t>(output.label)]);
    found = retrieval::measureRowBaseline(of, dataset, split_, part_,
                                          {labels, output.loss, lists(head)});
  }
  if (experiment::usesNegatives(output.loss.kind) && of == RowBaseline::kConstant)
    found.loss = lossOfEqualScores(head);
  return found;
}

// Without corrections and masks ln B in a batch of B.
std::optional<double> Evaluator::lossOfEqualScores(std::size_t head) const {
  if (session_.model().heads[head].loss.reduction == experiment::Reduction::kSum)
    return std::nullopt;
  double numerator = 0.0, denominator = 0.0;
  loader_->begin(1);
  while (const data::Batch* batch = loader_->next()) {
    if (!session_.evaluate(*batch)) return std::nullopt;
    const nn::LossSums& loss = session_.losses()[head];
    numerator += loss.negatives.equalScores;
    denominator += loss.denominator;
  }
  const bool known = denominator > 0.0 && std::isfinite(numerator);
  return known ? std::optional(numerator / denominator) : std::nullopt;
}

std::vector<Metric> Evaluator::baseline(RowBaseline of) const {
  const auto& heads = session_.model().heads;
  std::vector<Metric> metrics;
  std::optional<double> total = 0.0;
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const retrieval::RowBaselineMetrics found = baseline(of, head);
    if (found.loss && heads.size() > 1) metrics.emplace_back(lossKey(head), *found.loss);
    append(metrics, headPrefix(head), found.metrics);
    total = total && found.loss ? std::optional(*total + heads[head].loss.weight * *found.loss)
                                : std::nullopt;
  }
  if (total) metrics.insert(metrics.begin(), {"loss", *total});
  return metrics;
}

experiment::Baselines Evaluator::baselines(const std::string& prefix, std::int64_t maxItems,
                                           const WorkContext& context) {
  const auto& heads = session_.model().heads;
  const bool ranksRows = std::ranges::any_of(
      heads, [](const nn::Model::Head& head) { return experiment::isListwise(head.loss.kind); });
  std::vector<RowBaseline> rows{RowBaseline::kConstant};
  if (!isRetrieval()) rows.insert(rows.end(), {RowBaseline::kItemMean, RowBaseline::kUserMean});
  if (!isRetrieval() && ranksRows) rows.push_back(RowBaseline::kRandom);
  experiment::Baselines found;
  for (const RowBaseline of : rows)
    found.emplace_back(retrieval::rowBaselineName(of),
                       loader_ ? baseline(of) : std::vector<Metric>{});
  if (isRetrieval())
    std::ranges::move(catalogue_.baselines(maxItems, &session_.workers(), context),
                      std::back_inserter(found));
  for (auto& [name, metrics] : found)
    for (auto& [key, value] : metrics) key.insert(0, prefix);
  return found;
}

experiment::Baselines Evaluator::fittedBaselines(const std::string& prefix, std::int64_t maxItems,
                                                 Workers* workers,
                                                 const WorkContext& context) const {
  if (!isRetrieval()) return {};
  experiment::Baselines found = catalogue_.fitted(maxItems, workers, context);
  for (auto& [name, metrics] : found)
    for (auto& [key, value] : metrics) key.insert(0, prefix);
  return found;
}

}  // namespace parapet::train

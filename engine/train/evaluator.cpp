// SPDX-License-Identifier: Apache-2.0
#include "engine/train/evaluator.h"

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/train/loss_tracker.h"

namespace parapet::train {
namespace {

using experiment::LossKind;
using experiment::Metric;

void append(std::vector<Metric>& all, const std::string& prefix, const std::vector<Metric>& more) {
  for (const auto& [key, value] : more) all.emplace_back(prefix + key, value);
}

/// Of equal scores: the mean over the rows of log(rows of their batch).
double lossOfEqualScores(std::int64_t rows, std::int64_t batchRows) {
  const auto logSize = [](std::int64_t size) { return std::log(static_cast<double>(size)); };
  const std::int64_t rest = rows % batchRows, full = rows - rest;
  const double sum = static_cast<double>(full) * logSize(batchRows) +
                     static_cast<double>(rest) * logSize(std::max<std::int64_t>(1, rest));
  return sum / static_cast<double>(rows);
}

/// The label from which a row is relevant, as it is scaled. 1 is what Keras takes.
float scaledRelevance(const std::optional<double>& raw, const data::Dataset& dataset) {
  if (!raw) return 1.0f;
  const double low = dataset.rawLabel(0.0f), high = dataset.rawLabel(1.0f);
  // Labels are f32: a number that is not one of them must not miss those equal to it.
  constexpr double kSlack = 1e-6;
  return static_cast<float>((*raw - low) / (high - low) - kSlack);
}

}  // namespace

retrieval::RankingProtocol rankingProtocol(const experiment::Evaluation& evaluation,
                                           const data::Vocabulary& items) {
  const auto eligible = retrieval::eligibleRows(items);
  const auto candidates = std::count(eligible.begin(), eligible.end(), std::uint8_t{1});
  retrieval::RankingProtocol protocol;
  for (const std::int64_t k : evaluation.k)
    if (k <= candidates) protocol.k.push_back(k);
  if (protocol.k.empty()) protocol.k.push_back(std::max<std::int64_t>(1, candidates));
  protocol.seen =
      evaluation.excludeSeen ? retrieval::SeenItems::kExcludeTrain : retrieval::SeenItems::kKeep;
  protocol.relevantFrom = evaluation.relevanceThreshold;
  return protocol;
}

Evaluator::Evaluator(Session& session, const experiment::Experiment& experiment,
                     const data::Split& split, const retrieval::Interactions& interactions,
                     retrieval::Part part)
    : session_(session),
      experiment_(experiment),
      split_(split),
      interactions_(interactions),
      part_(part),
      protocol_(rankingProtocol(experiment.evaluation,
                                session.dataset().vocabularyOf(session.model().candidateColumn))) {
  if (!retrieval::rowsOf(split, part).empty())
    loader_ = session.loader(split, part, {session.model().queryColumn});
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
  return {
      experiment_.evaluation.k,
      ofDataset ? scaledRelevance(experiment_.evaluation.relevanceThreshold, session_.dataset()) : 1.0f,
      experiment_.training.seed};
}

// The lists of a retrieval model are rankings of the catalogue: those of rows would have their
// keys.
std::optional<retrieval::RowMetrics> Evaluator::rowMetrics(std::size_t head) const {
  const nn::Model::Head& of = session_.model().heads[head];
  const bool ofCatalogue =
      isRetrieval() && of.name.empty() && experiment::isListwise(of.loss.kind);
  if (of.loss.kind == LossKind::kInBatchSoftmax || ofCatalogue) return std::nullopt;
  return retrieval::RowMetrics(of.loss, lists(head));
}

retrieval::RowBlock Evaluator::block(const data::Batch& batch, std::size_t head) const {
  const std::int32_t label = session_.model().heads[head].label;
  return {{session_.predictions(head), static_cast<std::size_t>(batch.rows)},
          label < 0 ? batch.labels : batch.features[static_cast<std::size_t>(label)].numbers,
          batch.weights,
          batch.features.back().ids};
}

Result<Evaluator::Measured> Evaluator::measure(const std::string& prefix, std::int64_t epoch,
                                               std::stop_token stop) {
  Measured measured;
  if (!loader_) return measured;
  Stopwatch watch;
  const auto& heads = session_.model().heads;
  LossTracker tracker(session_.model());
  std::vector<std::optional<retrieval::RowMetrics>> rows;
  for (std::size_t head = 0; head < heads.size(); ++head) rows.push_back(rowMetrics(head));
  loader_->begin(std::max<std::int64_t>(1, epoch));
  while (const data::Batch* batch = loader_->next(stop)) {
    PARAPET_TRY(session_.evaluate(*batch));
    tracker.add(session_.losses(), batch->rows);
    for (std::size_t head = 0; head < heads.size(); ++head)
      if (rows[head]) rows[head]->add(block(*batch, head));
  }
  // Some of the rows say nothing of all of them.
  if (!stop.stop_requested()) {
    measured.metrics.emplace_back(prefix + "loss", tracker.loss());
    for (std::size_t head = 0; head < heads.size(); ++head) {
      if (heads.size() > 1)
        measured.metrics.emplace_back(prefix + lossKey(head), tracker.lossOf(head));
      if (rows[head]) append(measured.metrics, prefix + headPrefix(head), rows[head]->values());
    }
  }
  measured.lossSeconds = watch.seconds();
  if (stop.stop_requested() || !isRetrieval()) return measured;
  watch.restart();
  PARAPET_ASSIGN(const retrieval::ModelSnapshot snapshot, session_.snapshot());
  append(
      measured.metrics, "",
      retrieval::rankingMetrics(snapshot.queries, snapshot.candidates, snapshot.dim,
                                session_.dataset().vocabularyOf(session_.model().candidateColumn),
                                part_, interactions_, protocol_, prefix, session_.workers()));
  measured.retrievalSeconds = watch.seconds();
  return measured;
}

// An order of rows by chance is measured where orders of rows are.
retrieval::RowBaseline Evaluator::baseline(const std::string& name, std::size_t head) const {
  const nn::Model::Head& of = session_.model().heads[head];
  const data::Dataset& dataset = session_.dataset();
  retrieval::RowBaseline found;
  if (rowMetrics(head) && (name != "random" || experiment::isListwise(of.loss.kind))) {
    const auto labels =
        of.label < 0
            ? dataset.labels()
            : dataset.numbers(session_.model().columns[static_cast<std::size_t>(of.label)]);
    found = retrieval::rowBaseline(name, dataset, split_, part_, {labels, of.loss, lists(head)});
  }
  if (of.loss.kind == LossKind::kInBatchSoftmax && name == "constant" &&
      dataset.weights().empty() && of.loss.reduction != experiment::Reduction::kSum)
    found.loss = lossOfEqualScores(retrieval::rowsOf(split_, part_).size(), session_.batchRows());
  return found;
}

std::vector<Metric> Evaluator::baseline(const std::string& name) const {
  const auto& heads = session_.model().heads;
  std::vector<Metric> metrics;
  std::optional<double> total = 0.0;
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const retrieval::RowBaseline found = baseline(name, head);
    if (found.loss && heads.size() > 1) metrics.emplace_back(lossKey(head), *found.loss);
    append(metrics, headPrefix(head), found.metrics);
    total = total && found.loss ? std::optional(*total + heads[head].loss.weight * *found.loss)
                                : std::nullopt;
  }
  if (total) metrics.insert(metrics.begin(), {"loss", *total});
  return metrics;
}

retrieval::Baselines Evaluator::baselines(const std::string& prefix) const {
  const auto& heads = session_.model().heads;
  const bool ranksRows = std::ranges::any_of(
      heads, [](const nn::Model::Head& head) { return experiment::isListwise(head.loss.kind); });
  std::vector<std::string> names{"constant"};
  if (!isRetrieval()) names.insert(names.end(), {"item_mean", "user_mean"});
  if (!isRetrieval() && ranksRows) names.emplace_back("random");
  retrieval::Baselines found;
  for (const std::string& name : names)
    found.emplace_back(name, loader_ ? baseline(name) : std::vector<Metric>{});
  if (isRetrieval()) {
    auto rankings = loader_ ? retrieval::rankingBaselines(
                                  session_.dataset().vocabularyOf(session_.model().candidateColumn),
                                  part_, interactions_, protocol_)
                            : retrieval::Baselines{{"most_popular", {}}, {"random", {}}};
    std::ranges::move(rankings, std::back_inserter(found));
  }
  for (auto& [name, metrics] : found)
    for (auto& [key, value] : metrics) key.insert(0, prefix);
  return found;
}

}  // namespace parapet::train

// SPDX-License-Identifier: Apache-2.0
#include "engine/train/evaluator.h"

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/train/loss_tracker.h"

namespace parapet::train {

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
  protocol.relevantFrom = evaluation.relevantFrom;
  return protocol;
}

Evaluator::Evaluator(Session& session, const experiment::Experiment& experiment,
                     const data::Split& split, const retrieval::Interactions& interactions,
                     retrieval::Part part)
    : session_(session),
      split_(split),
      interactions_(interactions),
      part_(part),
      reduction_(experiment.loss.reduction),
      protocol_(rankingProtocol(experiment.evaluation,
                                session.dataset().vocabularyOf(session.model().candidateColumn))) {
  const auto& rows = part == retrieval::Part::kTest ? split.test : split.validation;
  if (!rows.empty()) loader_ = session.loader(split, part);
}

Evaluator::Measured Evaluator::measure(const std::string& prefix, std::int64_t epoch,
                                       std::stop_token stop) {
  Measured measured;
  if (!loader_) return measured;
  Stopwatch watch;
  LossTracker tracker(reduction_);
  tensor::ErrorSums total;
  loader_->begin(std::max<std::int64_t>(1, epoch));
  while (const data::Batch* batch = loader_->next(stop)) {
    const tensor::ErrorSums errors = session_.evaluate(*batch);
    tracker.add(errors, batch->rows);
    total.squared += errors.squared;
    total.absolute += errors.absolute;
    total.weight += errors.weight;
  }
  measured.lossSeconds = watch.seconds();
  // Some of the rows say nothing of all of them.
  if (stop.stop_requested()) return measured;
  measured.metrics.emplace_back(prefix + "loss", tracker.loss());
  if (total.weight > 0.0) {
    measured.metrics.emplace_back(prefix + "rmse", std::sqrt(total.squared / total.weight));
    measured.metrics.emplace_back(prefix + "mae", total.absolute / total.weight);
  }
  watch.restart();
  const retrieval::ModelSnapshot snapshot = session_.snapshot();
  const auto ranking =
      retrieval::rankingMetrics(snapshot.queries, snapshot.candidates, snapshot.dim,
                                session_.dataset().vocabularyOf(session_.model().candidateColumn),
                                part_, interactions_, protocol_, prefix, session_.workers());
  measured.metrics.insert(measured.metrics.end(), ranking.begin(), ranking.end());
  measured.retrievalSeconds = watch.seconds();
  return measured;
}

retrieval::Baselines Evaluator::baselines(const std::string& prefix) const {
  auto baselines = retrieval::computeBaselines(session_.dataset(), split_, part_, interactions_,
                                               session_.model().candidateColumn, protocol_);
  for (auto& [name, metrics] : baselines)
    for (auto& [key, value] : metrics) key.insert(0, prefix);
  return baselines;
}

}  // namespace parapet::train

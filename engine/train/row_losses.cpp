// SPDX-License-Identifier: Apache-2.0
#include "engine/train/row_losses.h"

#include <algorithm>
#include <cmath>

#include "engine/data/dataset/event_columns.h"
#include "engine/train/loss_tracker.h"

namespace parapet::train {
namespace {

using experiment::Metric;
using retrieval::RowBaseline;

/// The smallest scaled label of a relevant row; 1 by default, as in Keras.
float scaledRelevance(const std::optional<double>& raw, const data::Dataset& dataset) {
  if (!raw) return 1.0f;
  const double low = dataset.rawLabel(0.0f), high = dataset.rawLabel(1.0f);
  // Labels are f32: rounding must not exclude those equal to the threshold.
  constexpr double kSlack = 1e-6;
  return static_cast<float>((*raw - low) / (high - low) - kSlack);
}

}  // namespace

RowLosses::RowLosses(Session& session, const experiment::Experiment& experiment,
                     const data::Split& split, experiment::SplitPart part, ListsOf listsOf)
    : session_(session),
      experiment_(experiment),
      split_(split),
      part_(part),
      listsOf_(listsOf),
      loader_(session.loader(split, part,
                             {session.model().queryColumn, session.model().candidateColumn})) {}

std::string RowLosses::headPrefix(std::size_t head) const {
  const std::string& name = session_.model().heads[head].name;
  return name.empty() ? name : name + "_";
}

std::string RowLosses::lossKey(std::size_t head) const {
  return head == 0 ? "score_loss" : headPrefix(head) + "loss";
}

retrieval::ListMetrics::Options RowLosses::lists(std::size_t head) const {
  const bool ofDataset = session_.model().heads[head].label < 0;
  return {experiment_.evaluation.k,
          ofDataset ? scaledRelevance(experiment_.evaluation.relevanceThreshold, session_.dataset())
                    : 1.0f,
          experiment_.training.seed};
}

// The keys of rankings of the catalogue would be repeated by groups of rows.
std::optional<retrieval::RowMetrics> RowLosses::rowMetrics(std::size_t head) const {
  const nn::Model::Head& of = session_.model().heads[head];
  const bool ofCatalogue =
      listsOf_ == ListsOf::kCatalogue && of.name.empty() && experiment::isListwise(of.loss.kind);
  if (experiment::usesNegatives(of.loss.kind) || ofCatalogue) return std::nullopt;
  return retrieval::RowMetrics(of.loss, lists(head));
}

retrieval::PredictionBlock RowLosses::block(const data::Batch& batch, std::size_t head) const {
  const std::int32_t label = session_.model().heads[head].label;
  return {{session_.predictions(head), static_cast<std::size_t>(batch.rows)},
          label < 0 ? batch.labels : batch.features[static_cast<std::size_t>(label)].dense,
          batch.weights,
          batch.features[batch.features.size() - 2].ids};
}

// Every query meets all candidates of its batch; only the weights say which of them count.
Status RowLosses::compareRuns(const data::Batch& batch, std::int64_t runs,
                              const std::stop_token& stop) {
  std::vector<float> weights(static_cast<std::size_t>(batch.rows));
  for (std::int64_t run = 0; run < runs && !stop.stop_requested(); ++run) {
    const std::int64_t first = batch.rows * run / runs, last = batch.rows * (run + 1) / runs;
    if (first == last) continue;
    for (std::int64_t row = 0; row < batch.rows; ++row) {
      const auto at = static_cast<std::size_t>(row);
      const float weight = batch.weights.empty() ? 1.0f : batch.weights[at];
      weights[at] = row >= first && row < last ? weight : 0.0f;
    }
    data::Batch weighed = batch;
    weighed.weights = weights;
    PARAPET_TRY(session_.evaluate(weighed));
    comparisons_[0].addRun(session_.losses()[0], last - first);
  }
  return {};
}

Result<std::optional<PartLosses::Measured>> RowLosses::measure(const std::string& prefix,
                                                               std::int64_t epoch,
                                                               const WorkContext& context) try {
  const auto& heads = session_.model().heads;
  LossTracker tracker(session_.model());
  std::vector<std::optional<retrieval::RowMetrics>> rows;
  for (std::size_t head = 0; head < heads.size(); ++head) rows.push_back(rowMetrics(head));
  for (std::size_t head = comparisons_.size(); head < heads.size(); ++head)
    comparisons_.emplace_back(
        session_.model(),
        BaselineComparison::Of{head, heads.size() > 1 ? lossKey(head) : "loss", headPrefix(head)},
        session_.dataset(), split_, lists(head), listsOf_, context.stop);
  for (BaselineComparison& comparison : comparisons_) comparison.reset();
  const std::int64_t pass = std::max<std::int64_t>(1, epoch);
  const std::int64_t runs = comparisons_[0].runsOfBatch(loader_->batchesPerEpoch(pass));
  loader_->begin(pass);
  bool weighs = false;  // rows that all weigh nothing have no loss
  while (const data::Batch* batch = loader_->next(context.stop)) {
    weighs = weighs || batch->weights.empty() ||
             std::ranges::any_of(batch->weights, [](float weight) { return weight != 0.0f; });
    context.report("measuring losses", batch->index, loader_->batchesPerEpoch(pass));
    PARAPET_TRY(session_.evaluate(*batch));
    tracker.add(session_.losses(), batch->rows);
    for (std::size_t head = 0; head < heads.size(); ++head) {
      const retrieval::PredictionBlock predicted = block(*batch, head);
      comparisons_[head].add(predicted, batch->features.back().ids, session_.losses()[head]);
      if (rows[head]) rows[head]->add(predicted);
    }
    if (runs > 1) PARAPET_TRY(compareRuns(*batch, runs, context.stop));
  }
  if (context.cancelled()) return std::optional<Measured>{};
  Measured measured;
  if (weighs && tracker.hasCounted())
    measured.metrics.emplace_back(prefix + "loss", tracker.loss());
  for (std::size_t head = 0; head < heads.size(); ++head) {
    if (heads.size() > 1 && weighs && tracker.hasCounted(head))
      measured.metrics.emplace_back(prefix + lossKey(head), tracker.lossOf(head));
    if (rows[head])
      appendMetrics(measured.metrics, prefix + headPrefix(head), rows[head]->values());
  }
  for (const BaselineComparison& comparison : comparisons_)
    std::ranges::move(comparison.verdicts(prefix), std::back_inserter(measured.verdicts));
  return std::optional(std::move(measured));
} catch (const data::PassStopped&) {
  return std::optional<Measured>{};
}

// A random order is a baseline of listwise losses alone. Within the rows of a user his bias orders
// nothing, and that of the item as its mean does: biases are none of them.
retrieval::RowBaselineMetrics RowLosses::baseline(RowBaseline of, std::size_t head,
                                                  const WorkContext& context) const {
  const nn::Model::Head& output = session_.model().heads[head];
  const data::Dataset& dataset = session_.dataset();
  retrieval::RowBaselineMetrics found;
  const bool isListwise = experiment::isListwise(output.loss.kind);
  if (rowMetrics(head) && (of != RowBaseline::kRandom || isListwise) &&
      (of != RowBaseline::kBiases || !isListwise)) {
    const auto labels =
        output.label < 0
            ? dataset.labels()
            : dataset.denseValues(session_.model().columns[static_cast<std::size_t>(output.label)]);
    found = retrieval::measureRowBaseline(of, dataset, split_, part_,
                                          {labels, output.loss, lists(head)}, context.stop);
  }
  if (experiment::usesNegatives(output.loss.kind) && of == RowBaseline::kConstant)
    found.loss = lossOfEqualScores(head, context);
  return found;
}

// Without corrections and masks ln B in a batch of B.
std::optional<double> RowLosses::lossOfEqualScores(std::size_t head,
                                                   const WorkContext& context) const {
  if (session_.model().heads[head].loss.reduction == experiment::Reduction::kSum)
    return std::nullopt;
  double numerator = 0.0, denominator = 0.0;
  loader_->begin(1);
  while (const data::Batch* batch = loader_->next(context.stop)) {
    context.report("measuring baselines", batch->index, loader_->batchesPerEpoch(1));
    if (!session_.evaluate(*batch)) return std::nullopt;
    const nn::LossSums& loss = session_.losses()[head];
    numerator += loss.negatives.equalScores;
    denominator += loss.denominator;
  }
  if (context.cancelled()) return std::nullopt;
  const bool known = denominator > 0.0 && std::isfinite(numerator);
  return known ? std::optional(numerator / denominator) : std::nullopt;
}

std::vector<Metric> RowLosses::baseline(RowBaseline of, const WorkContext& context) const {
  const auto& heads = session_.model().heads;
  std::vector<Metric> metrics;
  std::optional<double> total = 0.0;
  for (std::size_t head = 0; head < heads.size(); ++head) {
    const retrieval::RowBaselineMetrics found = baseline(of, head, context);
    if (found.loss && heads.size() > 1) metrics.emplace_back(lossKey(head), *found.loss);
    appendMetrics(metrics, headPrefix(head), found.metrics);
    total = total && found.loss ? std::optional(*total + heads[head].loss.weight * *found.loss)
                                : std::nullopt;
  }
  if (total) metrics.insert(metrics.begin(), {"loss", *total});
  return metrics;
}

experiment::Baselines RowLosses::baselines(const WorkContext& context) {
  const auto isListwise = [](const nn::Model::Head& head) {
    return experiment::isListwise(head.loss.kind);
  };
  const auto& heads = session_.model().heads;
  std::vector<RowBaseline> rows{RowBaseline::kConstant};
  if (listsOf_ == ListsOf::kRows) {
    rows.insert(rows.end(), {RowBaseline::kItemMean, RowBaseline::kUserMean});
    if (!std::ranges::all_of(heads, isListwise)) rows.push_back(RowBaseline::kBiases);
    if (std::ranges::any_of(heads, isListwise)) rows.push_back(RowBaseline::kRandom);
  }
  experiment::Baselines found;
  for (const RowBaseline of : rows)
    found.emplace_back(retrieval::rowBaselineName(of), baseline(of, context));
  return found;
}

}  // namespace parapet::train

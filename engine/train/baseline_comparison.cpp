// SPDX-License-Identifier: Apache-2.0
#include "engine/train/baseline_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/experiment/document.h"

namespace parapet::train {
namespace {

using experiment::BaselineKind;
using experiment::BaselineVerdict;
using retrieval::ListMetrics;
using retrieval::RowBaseline;

/// Index of k = 10, by which runs are judged, or of the first k.
std::size_t judgedK(const std::vector<std::int64_t>& ks) {
  const auto ten = std::ranges::find(ks, 10);
  return ten == ks.end() ? 0 : static_cast<std::size_t>(ten - ks.begin());
}

std::vector<float> gathered(std::span<const float> values, std::span<const std::size_t> rows) {
  std::vector<float> out;
  if (values.empty()) return out;
  out.reserve(rows.size());
  for (const std::size_t row : rows) out.push_back(values[row]);
  return out;
}

}  // namespace

BaselineComparison::Unit BaselineComparison::unitOf(const experiment::Loss& loss, ListsOf listsOf) {
  if (loss.reduction == experiment::Reduction::kSum) return Unit::kNothing;
  if (experiment::usesNegatives(loss.kind)) return Unit::kBatches;
  if (!experiment::isListwise(loss.kind)) return Unit::kRows;
  return listsOf == ListsOf::kRows ? Unit::kLists : Unit::kNothing;
}

BaselineComparison::BaselineComparison(const nn::Model& model, Of of, const data::Dataset& dataset,
                                       const data::Split& split, ListMetrics::Options lists,
                                       ListsOf listsOf, const std::stop_token& stop)
    : of_(std::move(of)),
      name_(model.heads[of_.head].name),
      loss_(model.heads[of_.head].loss),
      unit_(unitOf(loss_, listsOf)),
      lists_(std::move(lists)) {
  std::vector<RowBaseline> baselines;
  if (unit_ == Unit::kRows) baselines.push_back(RowBaseline::kConstant);
  if (unit_ == Unit::kLists) baselines.push_back(RowBaseline::kRandom);
  if ((unit_ == Unit::kRows || unit_ == Unit::kLists) && listsOf == ListsOf::kRows)
    baselines.insert(baselines.end(), {RowBaseline::kItemMean, RowBaseline::kUserMean});
  if (unit_ == Unit::kRows && listsOf == ListsOf::kRows) baselines.push_back(RowBaseline::kBiases);
  const std::int32_t label = model.heads[of_.head].label;
  for (const RowBaseline baseline : baselines)
    references_.push_back(
        {baseline,
         {baseline, dataset, split.train,
          label < 0 ? dataset.labels()
                    : dataset.denseValues(model.columns[static_cast<std::size_t>(label)]),
          loss_.kind, stop}});
}

void BaselineComparison::reset() {
  for (Reference& reference : references_) {
    reference.pairs = {};
    reference.predictions.clear();
  }
  batches_ = runs_ = {};
  hasRuns_ = false;
  rows_ = {};
  numerator_ = denominator_ = largestBatch_ = 0.0;
}

void BaselineComparison::add(const retrieval::PredictionBlock& rows,
                             std::span<const std::int32_t> items, const nn::LossSums& loss) {
  if (unit_ == Unit::kBatches) addBatch(loss);
  if (unit_ == Unit::kRows || unit_ == Unit::kLists) addRows(rows, items);
}

void BaselineComparison::addRows(const retrieval::PredictionBlock& rows,
                                 std::span<const std::int32_t> items) {
  if (unit_ == Unit::kLists) rows_.add(rows);
  for (Reference& reference : references_)
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const float predicted = reference.predictor.predict(rows.group[row], items[row]);
      if (unit_ == Unit::kLists) {
        reference.predictions.push_back(predicted);
        continue;
      }
      const double weight = rows.weightOf(row), label = static_cast<double>(rows.label[row]);
      const double gap =
          retrieval::rowLoss(loss_.kind, static_cast<double>(rows.prediction[row]), label) -
          retrieval::rowLoss(loss_.kind, static_cast<double>(predicted), label);
      reference.pairs.add(weight * gap,
                          loss_.reduction == experiment::Reduction::kMean ? 1.0 : weight);
    }
  if (unit_ == Unit::kLists) return;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double weight = rows.weightOf(row);
    numerator_ += weight * retrieval::rowLoss(loss_.kind, static_cast<double>(rows.prediction[row]),
                                              static_cast<double>(rows.label[row]));
    denominator_ += loss_.reduction == experiment::Reduction::kMean ? 1.0 : weight;
  }
}

// Where the loss of equal scores is not known there is no comparison: see verdicts().
void BaselineComparison::addBatch(const nn::LossSums& loss) {
  batches_.add(loss.numerator - loss.negatives.equalScores, loss.denominator);
  numerator_ += loss.numerator;
  denominator_ += loss.denominator;
  largestBatch_ = std::max(largestBatch_, loss.denominator);
}

std::int64_t BaselineComparison::runsOfBatch(std::int64_t batches) const {
  constexpr std::int64_t kEnoughRuns = 16;
  if (unit_ != Unit::kBatches || batches < 1 || batches >= experiment::kMinPairs) return 1;
  return (kEnoughRuns + batches - 1) / batches;
}

void BaselineComparison::addRun(const nn::LossSums& loss, std::int64_t rows) {
  hasRuns_ = true;
  runs_.add(loss.numerator - loss.negatives.equalScores,
            loss_.reduction == experiment::Reduction::kMean ? static_cast<double>(rows)
                                                            : loss.denominator);
}

// Corrections, masks, negatives of one device and a short last batch change the loss of equal scores.
std::int64_t BaselineComparison::candidatesOfEqualScores(double reference) const {
  const double candidates =
      experiment::traitsOf(loss_.kind).isSoftmax ? std::round(largestBatch_) : 2.0;
  const double expected = std::log(candidates);
  return candidates >= 2.0 && std::abs(reference - expected) <= 1e-6 * expected
             ? static_cast<std::int64_t>(candidates)
             : 0;
}

std::vector<BaselineVerdict> BaselineComparison::verdicts(const std::string& prefix) const {
  std::vector<BaselineVerdict> found;
  if (unit_ == Unit::kLists) return verdictsOfLists(prefix);
  if (unit_ == Unit::kNothing || !(denominator_ > 0.0)) return found;
  const double model = numerator_ / denominator_;
  const auto judge = [&](const char* baseline, BaselineKind kind,
                         const retrieval::PairedSums& pairs) {
    const experiment::PairedDifference paired = pairs.result();
    found.push_back(experiment::judge(baseline, kind, prefix + of_.lossKey, model,
                                      model - paired.mean, paired));
    found.back().head = name_;
  };
  if (unit_ == Unit::kBatches && std::isfinite(batches_.result().mean)) {
    judge("constant", BaselineKind::kEqualScores, hasRuns_ ? runs_ : batches_);
    found.back().candidates = candidatesOfEqualScores(found.back().reference);
  }
  for (const Reference& reference : references_)
    judge(retrieval::rowBaselineName(reference.baseline), BaselineKind::kTrained, reference.pairs);
  return found;
}

std::vector<BaselineVerdict> BaselineComparison::verdictsOfLists(const std::string& prefix) const {
  const retrieval::PredictionBlock all = rows_.all();
  const std::vector<std::size_t> order = retrieval::rowsByGroup(all);
  if (lists_.ks.empty()) return {};
  const std::size_t at = judgedK(lists_.ks);
  ListMetrics model(lists_);
  std::vector<ListMetrics> baselines(references_.size(), ListMetrics(lists_));
  std::vector<retrieval::PairedSums> pairs(references_.size());
  std::int64_t relevantLists = 0;
  for (auto first = order.begin(); first != order.end();) {
    const std::int32_t group = all.group[*first];
    const auto last =
        std::find_if(first, order.end(), [&](std::size_t row) { return all.group[row] != group; });
    const std::span<const std::size_t> rows(first, last);
    const auto labels = gathered(all.label, rows), weights = gathered(all.weight, rows);
    model.add(group, gathered(all.prediction, rows), labels, weights);
    const ListMetrics::ListValue mine = model.lastNdcg()[at];
    if (mine.weight > 0.0) ++relevantLists;
    for (std::size_t i = 0; i < references_.size(); ++i) {
      baselines[i].add(group, gathered(references_[i].predictions, rows), labels, weights);
      if (mine.weight > 0.0)
        pairs[i].add(mine.weight * (mine.value - baselines[i].lastNdcg()[at].value), mine.weight);
    }
    first = last;
  }
  const std::string key = fmt::format("ndcg@{}", lists_.ks[at]);
  const auto valueOf = [&](const ListMetrics& metrics) {
    for (const auto& [name, value] : metrics.values())
      if (name == key) return value;
    return std::nan("");
  };
  std::vector<BaselineVerdict> found;
  if (relevantLists == 0) return found;
  // In the means, lists without a relevant row count as 0 for every model.
  const double share = static_cast<double>(relevantLists) / static_cast<double>(model.lists());
  for (std::size_t i = 0; i < references_.size(); ++i) {
    experiment::PairedDifference paired = pairs[i].result();
    paired.mean *= share;
    paired.standardError *= share;
    found.push_back(experiment::judge(retrieval::rowBaselineName(references_[i].baseline),
                                      BaselineKind::kTrained, prefix + of_.prefix + key,
                                      valueOf(model), valueOf(baselines[i]), paired));
    found.back().head = name_;
  }
  return found;
}

}  // namespace parapet::train

// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/expected_learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/experiment/verdict.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;

// Items that occur more often than others grow more.
constexpr double kMargin = 10.0;

/// The table of item ids; null if there is none.
const experiment::Table* itemTable(const Experiment& experiment) {
  for (const experiment::Feature& feature : experiment.features)
    if (feature.tower == experiment::Tower::kCandidate)
      for (const experiment::Table& table : experiment.tables)
        if (feature.table == table.name) return &table;
  return nullptr;
}

std::optional<double> squaredLength(const experiment::Table& table) {
  if (table.initializer.kind != experiment::InitializerKind::kUniform) return std::nullopt;
  const double width = table.initializer.max - table.initializer.min;
  return static_cast<double>(table.embeddingDim) * width * width / 12.0;
}

/// The rate that a gradient is multiplied by.
std::optional<double> rateOf(const experiment::Optimizer& optimizer) {
  switch (optimizer.kind) {
    case experiment::OptimizerKind::kSgd:
      return optimizer.learningRate;
    case experiment::OptimizerKind::kAdagrad:
      return optimizer.initialAccumulator > 0.0
                 ? std::optional(optimizer.learningRate / std::sqrt(optimizer.initialAccumulator))
                 : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<double> scoreGrowth(const Experiment& experiment, std::int64_t trainingRows,
                                  const std::map<std::string, std::int64_t>& vocabularyRows,
                                  std::int64_t batchRows) {
  const experiment::Loss& loss = experiment.loss;
  const experiment::Table* table = itemTable(experiment);
  // A batch of sequences has as many examples as these are long.
  if (!experiment::traitsOf(loss.kind).isSoftmax || !experiment::meetsBatch(loss) ||
      experiment.training.objective == experiment::Objective::kAllPositions || table == nullptr ||
      batchRows < 2 || loss.reduction == experiment::Reduction::kSum ||
      experiment.model.score != experiment::Score::kDot)
    return std::nullopt;
  const auto items = vocabularyRows.find(table->vocabulary);
  if (items == vocabularyRows.end() || items->second < 1) return std::nullopt;
  const auto length = squaredLength(*table);
  const auto rate = rateOf(table->optimizer.value_or(experiment.optimizer));
  if (!length || !rate) return std::nullopt;
  const double examples = static_cast<double>(trainingRows) *
                          static_cast<double>(experiment.training.epochs) /
                          static_cast<double>(items->second);
  const double temperature = loss.temperature.initial;
  return examples * *rate * *length / (static_cast<double>(batchRows) * temperature * temperature);
}

std::optional<experiment::Problem> warnOfNoLearning(
    const Experiment& experiment, std::int64_t trainingRows,
    const std::map<std::string, std::int64_t>& vocabularyRows, std::int64_t batchRows) {
  const auto growth = scoreGrowth(experiment, trainingRows, vocabularyRows, batchRows);
  if (!growth) return std::nullopt;
  const double lnB = std::log(static_cast<double>(batchRows));
  if (kMargin * *growth >= experiment::kEqualScoresShare * lnB) return std::nullopt;
  return experiment::Problem{
      "/optimizer/learning_rate",
      fmt::format(
          "the loss is a mean over {} rows, and at this rate the scores of items grow by "
          "about {:.1e} in all epochs: it will stay near ln B = {:.4f}, that of equal scores",
          formatCount(batchRows), *growth, lnB),
      "a rate some hundred times as large, the reduction \"sum\", or the optimizer \"adam\", which "
      "rescales gradients"};
}

}  // namespace parapet::workspace

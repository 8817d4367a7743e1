// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/prediction_metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "engine/base/result.h"

namespace parapet::retrieval {
namespace {

double labelOf(const PredictionBlock& rows, std::size_t row) {
  return static_cast<double>(rows.label[row]);
}
double predictionOf(const PredictionBlock& rows, std::size_t row) {
  return static_cast<double>(rows.prediction[row]);
}

/// The rows of one or of all groups; sorts them. Rows of equal predictions are taken together: half
/// of their pairs are won.
std::optional<double> areaOf(const PredictionBlock& rows, std::span<std::size_t> order) {
  const auto key = [&](std::size_t row) { return sortingKey(rows.prediction[row]); };
  std::ranges::sort(order, {}, key);
  double won = 0.0, positives = 0.0, negatives = 0.0;
  for (std::size_t first = 0; first < order.size();) {
    double positive = 0.0, negative = 0.0;
    std::size_t at = first;
    for (; at < order.size() && key(order[at]) == key(order[first]); ++at) {
      const double weight = rows.weightOf(order[at]), label = labelOf(rows, order[at]);
      positive += weight * label;
      negative += weight * (1.0 - label);
    }
    won += positive * (negatives + 0.5 * negative);
    positives += positive;
    negatives += negative;
    first = at;
  }
  if (positives <= 0.0 || negatives <= 0.0) return std::nullopt;
  return won / (positives * negatives);
}

/// −(y·log p + (1 − y)·log(1 − p)) of a logit.
double logLoss(double logit, double label) {
  return std::max(logit, 0.0) - logit * label + std::log1p(std::exp(-std::abs(logit)));
}

/// Σ over the rows of w·term(row).
template <class Term>
double weightedSum(const PredictionBlock& rows, const Term& term) {
  double sum = 0.0;
  for (std::size_t row = 0; row < rows.size(); ++row) sum += rows.weightOf(row) * term(row);
  return sum;
}

}  // namespace

void Predictions::add(const PredictionBlock& block) {
  prediction.insert(prediction.end(), block.prediction.begin(), block.prediction.end());
  label.insert(label.end(), block.label.begin(), block.label.end());
  weight.insert(weight.end(), block.weight.begin(), block.weight.end());
  group.insert(group.end(), block.group.begin(), block.group.end());
}

std::vector<std::size_t> rowsByGroup(const PredictionBlock& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return rows.group[row]; });
  return order;
}

void PredictionErrors::add(const PredictionBlock& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double w = rows.weightOf(row), error = predictionOf(rows, row) - labelOf(rows, row);
    squared += w * error * error;
    absolute += w * std::abs(error);
    weight += w;
  }
}

std::vector<experiment::Metric> PredictionErrors::values() const {
  if (!(weight > 0.0)) return {};
  return {{"rmse", std::sqrt(squared / weight)}, {"mae", absolute / weight}};
}

double rowLoss(experiment::LossKind kind, double prediction, double label) {
  if (!experiment::isRowwise(kind))
    throw InvalidArgument("[retrieval.rowLoss] the loss is not one of rows");
  return experiment::traitsOf(kind).takesLogits ? logLoss(prediction, label)
                                                : (prediction - label) * (prediction - label);
}

RowLoss logLossOf(const PredictionBlock& rows) {
  return {weightedSum(rows,
                      [&](std::size_t row) {
                        return logLoss(predictionOf(rows, row), labelOf(rows, row));
                      }),
          weightedSum(rows, [](std::size_t) { return 1.0; })};
}

std::optional<double> areaUnderCurve(const PredictionBlock& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return areaOf(rows, order);
}

GroupedArea groupedAreaUnderCurve(const PredictionBlock& rows) {
  GroupedArea area;
  double weights = 0.0;
  std::vector<std::size_t> order = rowsByGroup(rows);
  for (auto first = order.begin(); first != order.end();) {
    const std::int32_t group = rows.group[*first];
    const auto last =
        std::find_if(first, order.end(), [&](std::size_t row) { return rows.group[row] != group; });
    if (const auto own = areaOf(rows, {first, last})) {
      double weight = 0.0;
      for (auto row = first; row != last; ++row) weight += rows.weightOf(*row);
      area.value += weight * *own;
      weights += weight;
      ++area.groups;
    } else {
      ++area.oneClass;
    }
    first = last;
  }
  if (weights > 0.0) area.value /= weights;
  return area;
}

std::vector<experiment::Metric> classificationMetrics(const PredictionBlock& rows) {
  const auto [loss, weights] = logLossOf(rows);
  if (!(weights > 0.0)) return {};
  const double right = weightedSum(rows, [&](std::size_t row) {
    return (rows.prediction[row] >= 0.0f) == (rows.label[row] >= 0.5f) ? 1.0 : 0.0;
  });
  const double positives = weightedSum(rows, [&](std::size_t row) { return labelOf(rows, row); });
  const double expected = weightedSum(
      rows, [&](std::size_t row) { return 1.0 / (1.0 + std::exp(-predictionOf(rows, row))); });
  std::vector<experiment::Metric> metrics{{"accuracy", right / weights},
                                          {"logloss", loss / weights}};
  if (const auto area = areaUnderCurve(rows)) metrics.emplace_back("auc", *area);
  if (const GroupedArea area = groupedAreaUnderCurve(rows); area.groups > 0)
    metrics.emplace_back("gauc", area.value);
  const double mean = positives / weights;
  if (mean > 0.0 && mean < 1.0) {
    const double entropy = -(mean * std::log(mean) + (1.0 - mean) * std::log1p(-mean));
    metrics.emplace_back("ne", loss / weights / entropy);
  }
  if (positives > 0.0) metrics.emplace_back("calibration", expected / positives);
  return metrics;
}

}  // namespace parapet::retrieval

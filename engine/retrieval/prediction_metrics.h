// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/experiment/run_event.h"

namespace parapet::retrieval {

/// Predictions of some rows with their labels, weights and groups.
struct PredictionBlock {
  std::span<const float> prediction;    ///< as the loss has it: a logit under bce
  std::span<const float> label;         ///< scaled
  std::span<const float> weight;        ///< empty: all 1
  std::span<const std::int32_t> group;  ///< whose row it is: the user's row of the vocabulary

  [[nodiscard]] std::size_t size() const { return prediction.size(); }
  [[nodiscard]] double weightOf(std::size_t row) const {
    return weight.empty() ? 1.0 : static_cast<double>(weight[row]);
  }
};

/// All rows, for the metrics that are not sums over rows.
struct Predictions {
  std::vector<float> prediction, label, weight;
  std::vector<std::int32_t> group;

  /// Either all blocks have weights or none has.
  void add(const PredictionBlock& block);
  [[nodiscard]] PredictionBlock all() const { return {prediction, label, weight, group}; }
};

/// Rows by group, then in their order.
std::vector<std::size_t> rowsByGroup(const PredictionBlock& rows);

/// The key by which predictions are ordered: NaN ranks below all others.
inline float sortingKey(float prediction) {
  return std::isnan(prediction) ? -std::numeric_limits<float>::infinity() : prediction;
}

/// Errors of predictions p of labels y, with row weights w. Sums of parts add up.
///
///   rmse = √(Σ w·(p − y)² / Σw);   mae = Σ w·|p − y| / Σw
///
/// Keys are unprefixed, here and below.
struct PredictionErrors {
  double squared = 0.0;   ///< Σ w·(p − y)²
  double absolute = 0.0;  ///< Σ w·|p − y|
  double weight = 0.0;    ///< Σ w
  void add(const PredictionBlock& rows);
  /// Empty if Σw is 0.
  [[nodiscard]] std::vector<experiment::Metric> values() const;
};

/// Metrics of logits s for labels y in [0, 1], with p = σ(s); a row counts as positive with weight
/// y and as negative with weight 1 − y.
///
///   accuracy     Σ w·[(p ≥ ½) = (y ≥ ½)] / Σw
///   logloss      −Σ w·(y·log p + (1 − y)·log(1 − p)) / Σw, in nats
///   auc          see areaUnderCurve
///   gauc         see groupedAreaUnderCurve
///   ne           logloss over that of predicting the mean label c of these rows for every row
///   calibration  Σ w·p / Σ w·y
///
/// A metric without a value is omitted: auc and ne where all labels are the same, gauc where those
/// of every user are, calibration where all are 0.
///
/// Source   ne: He et al., "Practical Lessons from Predicting Clicks on Ads at Facebook" (2014).
std::vector<experiment::Metric> classificationMetrics(const PredictionBlock& rows);

/// The loss of one row, before its weight: (p − y)² of kMse, of kBce the cross entropy of the logit
/// p. InvalidArgument for losses that are not of rows.
double rowLoss(experiment::LossKind kind, double prediction, double label);

struct RowLoss {
  double sum = 0.0;     ///< Σ w·ℓ
  double weight = 0.0;  ///< Σ w
};
/// The cross entropy of logits, ℓ = −(y·log p + (1 − y)·log(1 − p)).
RowLoss logLossOf(const PredictionBlock& rows);

/// Share of the pairs of a positive and a negative row, weighted by the product of their weights,
/// of which the positive one has the greater prediction; equal ones count half. nullopt if there is
/// no such pair.
std::optional<double> areaUnderCurve(const PredictionBlock& rows);

struct GroupedArea {
  double value = 0.0;         ///< Σ over users of Σw·auc / Σw, over those that have an auc
  std::int64_t groups = 0;    ///< users that have one
  std::int64_t oneClass = 0;  ///< users left out: all their rows are positive, or negative
};
/// The area under the curve of each group's rows alone, weighted by their weights: what predictions
/// say within a user, not which users click more.
///
/// Source   Zhu et al., "Optimized Cost per Click in Taobao Display Advertising" (2017).
GroupedArea groupedAreaUnderCurve(const PredictionBlock& rows);

}  // namespace parapet::retrieval

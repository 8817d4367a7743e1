// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

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

}  // namespace parapet::retrieval

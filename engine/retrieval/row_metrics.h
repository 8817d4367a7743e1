// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/retrieval/list_metrics.h"
#include "engine/retrieval/prediction_metrics.h"

namespace parapet::retrieval {

/// The metrics that go with a loss, from rows that come in blocks:
///
///   mse                rmse, mae: sums, no row is kept
///   bce                those of classificationMetrics
///   listwise losses    those of ListMetrics, a list per group
///   in-batch softmax   none: it has no labels
///
/// Thread   not shared.
class RowMetrics {
 public:
  RowMetrics(const experiment::Loss& loss, ListMetrics::Options lists);
  void add(const PredictionBlock& block);
  /// Unprefixed keys; a metric without a value is omitted.
  [[nodiscard]] std::vector<experiment::Metric> values() const;
  /// The loss of all rows, before its weight; nullopt unless it is a mean over rows.
  [[nodiscard]] std::optional<double> loss() const;

 private:
  [[nodiscard]] const experiment::LossTraits& traits() const {
    return experiment::traitsOf(loss_.kind);
  }

  experiment::Loss loss_;
  ListMetrics::Options lists_;
  PredictionErrors errors_;  ///< values
  Predictions rows_;         ///< logits and listwise losses
  std::int64_t count_ = 0;
};

}  // namespace parapet::retrieval

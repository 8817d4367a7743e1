// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "engine/experiment/document.h"
#include "engine/tensor/ops/squared_error.h"

namespace parapet::train {

/// The two losses of an epoch, from the batches' sums.
///
///   loss            r_T, where r_t = (loss of the first t batches) as one mean over their examples
///   as displayed    (Σ_{t=1..T} r_t + r_T)/(T + 1): Keras's progress bar averaged the running mean
///   a
///                   second time (keras-team/keras#21301), so curves copied from it lag behind
///
/// The numerator is Σ w·(p−y)²; the denominator is rows for a mean loss, Σw for a weighted mean. A
/// sum loss is the mean over batches of their sums.
class LossTracker {
 public:
  explicit LossTracker(experiment::Reduction reduction) : reduction_(reduction) {}

  /// Adds a batch; returns its own loss.
  double add(const tensor::ErrorSums& errors, std::int64_t rows);
  [[nodiscard]] double loss() const { return denominator_ > 0.0 ? numerator_ / denominator_ : 0.0; }
  [[nodiscard]] double lossAsDisplayed() const;
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  void reset() { *this = LossTracker(reduction_); }

  [[nodiscard]] nlohmann::json toJson() const;
  void fromJson(const nlohmann::json& state);

 private:
  experiment::Reduction reduction_;
  double numerator_ = 0.0, denominator_ = 0.0;
  double runningMeans_ = 0.0;  ///< Σ r_t
  std::int64_t batches_ = 0, rows_ = 0;
};

}  // namespace parapet::train

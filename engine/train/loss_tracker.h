// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "engine/nn/model.h"
#include "engine/nn/step_batch.h"

namespace parapet::train {

/// The losses of an epoch, from the batches' sums.
///
///   loss of a head  Σ numerators / Σ denominators: one mean over the examples of all batches; of a
///                   sum loss, whose denominators are 1, the mean over batches of their sums. NaN
///                   where nothing counts: no masked position, or weights that are all 0
///   loss            r_T = Σ over the heads of weight · loss after the last batch T; heads of which
///                   nothing counts add nothing
///   as displayed    (Σ_{t=1..T} r_t + r_T)/(T + 1): Keras's progress bar averaged the running mean
///                   a second time (keras-team/keras#21301), so curves copied from it lag behind;
///                   its running mean of nothing is 0
class LossTracker {
 public:
  /// `weights` are those of the heads.
  explicit LossTracker(std::vector<double> weights)
      : weights_(std::move(weights)), sums_(weights_.size(), {0.0, 0.0, {}}) {}
  explicit LossTracker(const nn::Model& model);

  /// Adds a batch, its losses by head; returns its own loss, nullopt if nothing of it counts.
  /// InvalidArgument unless there is one for each head.
  std::optional<double> add(std::span<const nn::LossSums> losses, std::int64_t rows);
  [[nodiscard]] double loss() const;
  /// Whether anything of a head has counted so far.
  [[nodiscard]] bool hasCounted(std::size_t head) const { return sums_.at(head).denominator > 0.0; }
  [[nodiscard]] bool hasCounted() const;
  [[nodiscard]] double lossAsDisplayed() const;
  /// The loss of a head before its weight.
  [[nodiscard]] double lossOf(std::size_t head) const;
  /// The loss of the first head if all candidates had equal scores; NaN of a loss without
  /// negatives, or where that is not known.
  [[nodiscard]] double lossOfEqualScores() const;
  /// Negatives of all heads that were the query's own item, and were left out.
  [[nodiscard]] std::int64_t maskedHits() const { return maskedHits_; }
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  void reset() { *this = LossTracker(std::move(weights_)); }

  [[nodiscard]] nlohmann::json toJson() const;
  /// Throws unless the state is one of as many heads.
  void fromJson(const nlohmann::json& state);

 private:
  std::vector<double> weights_;
  std::vector<nn::LossSums> sums_;
  double runningMeans_ = 0.0;  ///< Σ r_t
  std::int64_t batches_ = 0, rows_ = 0, maskedHits_ = 0;
  double equalScores_ = 0.0;  ///< numerator of the first head's loss of equal scores
};

/// The loss of a step, over the examples of its batches.
class StepLoss {
 public:
  void add(std::optional<double> loss, std::int64_t rows) {
    if (!loss) return;
    sum_ += *loss * static_cast<double>(rows);
    rows_ += rows;
    last_ = *loss;
    ++batches_;
  }
  /// Nullopt if nothing of its batches counts.
  std::optional<double> take() {
    std::optional<double> loss;
    if (batches_ > 0) loss = batches_ == 1 ? last_ : sum_ / static_cast<double>(rows_);
    *this = {};
    return loss;
  }

 private:
  double sum_ = 0.0, last_ = 0.0;
  std::int64_t rows_ = 0, batches_ = 0;
};

}  // namespace parapet::train

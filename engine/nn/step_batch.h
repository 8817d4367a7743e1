// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "engine/data/dataset/batches.h"

namespace parapet::nn {

/// What one step works on: views of a global batch and its counts.
struct StepBatch {
  std::int64_t rows = 0;                       ///< B, at most the capacity of the task
  std::span<const data::FeatureIds> features;  ///< by feature of the graph
  std::span<const float> labels{};
  std::span<const float> weights{};       ///< empty: all 1
  std::span<const std::int32_t> lists{};  ///< see data::Batch::lists
  std::uint64_t seed = 0;                 ///< for random numbers of a training step
  std::int64_t batch = 0;                 ///< data::Batch::serial; 0: none
  /// Rows that are examples, −1: all. Later ones are candidates that every query meets: they have
  /// weight 0, and as many ids as any row, or no positions of a sequence.
  std::int64_t examples = -1;
  /// By example, as data::Batch::positions. Then `lists` are those of the examples, a sequence belongs
  /// to the first example of its list, and a list lies in one slice. Empty: an example has its own.
  std::span<const std::int32_t> positions{};
  /// Logarithm of each item's share among the negatives of a query, by row of the items'
  /// vocabulary. Losses that correct for it need it.
  std::span<const float> itemLogQ{};

  [[nodiscard]] std::int64_t exampleRows() const { return examples < 0 ? rows : examples; }
};

/// Figures of a loss with negatives besides its value.
struct NegativesSums {
  double equalScores = 0.0;  ///< numerator of the loss if all scores were equal; NaN: unknown
  std::int64_t masked = 0;   ///< negatives that were the query's own item, and were left out
};

/// A loss of the global batch: numerator over denominator, before its weight.
struct LossSums {
  double numerator = 0.0;    ///< Σ w·ℓ
  double denominator = 1.0;  ///< rows or lists, Σ w, or 1 (see experiment::Reduction); 0 of nothing
  NegativesSums negatives{};  ///< of a loss with negatives
  double rows = 0.0;          ///< rows that it is of: examples, or positions
  double hits = 0.0;          ///< Σ w of the rows whose label scores highest; of a tableLoss alone

  /// NaN where nothing counts: no masked position, or weights that are all 0.
  [[nodiscard]] double mean() const {
    return denominator > 0.0 ? numerator / denominator : std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace parapet::nn

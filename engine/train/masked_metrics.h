// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/experiment/run_event.h"
#include "engine/nn/model.h"
#include "engine/nn/step_batch.h"

namespace parapet::train {

/// What the predictions of masked pieces come to, from sums over batches.
///
///   token_loss   Σ ℓ / M over the M masked pieces
///   loss_slots    Σ ℓ / (B·slots), as Keras divides: unused slots count, with weight 0
///   accuracy     share of the M whose piece has the highest logit
///   perplexity   e^token_loss
struct MaskedSums {
  double loss = 0.0, hits = 0.0, pieces = 0.0, slots = 0.0;

  void add(const nn::LossSums& batch, double slotsOfBatch) {
    loss += batch.numerator;
    hits += batch.hits;
    pieces += batch.rows;
    slots += slotsOfBatch;
  }
  /// Empty without a masked piece.
  [[nodiscard]] std::vector<experiment::Metric> metrics() const;
  [[nodiscard]] nlohmann::json toJson() const;
  static MaskedSums fromJson(const nlohmann::json& state);
};

/// Masks that an example of a masked language model may have.
double slotsOf(const nn::Model& model);

}  // namespace parapet::train

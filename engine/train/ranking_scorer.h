// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/data/dataset/dataset.h"
#include "engine/nn/step_plan.h"
#include "engine/retrieval/model_snapshot.h"
#include "engine/train/entity_inputs.h"

namespace parapet::train {

/// A copy of a trained model that scores pairs of users and items, independent of further training.
///
/// Thread   score() from any thread; calls are serialized.
class RankingScorer final : public retrieval::PairScorer {
 public:
  /// `parameters`: weights to copy, in the order of the model's. `trainingRows`: see
  /// EntityInputs.
  static Result<std::shared_ptr<const RankingScorer>> create(
      const experiment::Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
      const data::RowSet& trainingRows, std::span<const nn::Parameter> parameters);
  ~RankingScorer() override;

  void score(std::int32_t user, std::span<const std::int32_t> items,
             std::span<float> scores) const override;

 private:
  struct State;
  explicit RankingScorer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace parapet::train

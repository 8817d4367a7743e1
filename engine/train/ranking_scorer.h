// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/train/planned_side.h"

namespace parapet::train {

/// A copy of a trained model that scores queries with items, independent of further training.
///
/// Thread   score() from any thread; calls compute side by side.
class RankingScorer final : public PlannedSide<retrieval::PairScorer> {
 public:
  /// `parameters`: weights to copy, in the order of the model's.
  static Result<std::shared_ptr<const RankingScorer>> create(
      const experiment::Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
      const EntityInputs& inputs, std::span<const nn::Parameter> parameters);

  void score(const retrieval::EncoderQuery& query, std::span<const std::int32_t> items,
             std::span<float> scores) const override;

 private:
  explicit RankingScorer(std::unique_ptr<ForwardRunners> runners)
      : PlannedSide(std::move(runners)) {}
};

}  // namespace parapet::train

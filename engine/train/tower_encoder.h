// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/train/planned_side.h"

namespace parapet::train {

/// A copy of the query tower of a retrieval model, independent of further training.
///
/// Thread   encode() from any thread; calls compute side by side.
class TowerEncoder final : public PlannedSide<retrieval::QueryEncoder> {
 public:
  /// `parameters`: weights to copy, in the order of the model's.
  static Result<std::shared_ptr<const TowerEncoder>> create(
      const experiment::Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
      const EntityInputs& inputs, std::span<const nn::Parameter> parameters);

  void encode(std::span<const retrieval::EncoderQuery> queries,
              std::span<float> vectors) const override;

 private:
  explicit TowerEncoder(std::unique_ptr<ForwardRunners> runners)
      : PlannedSide(std::move(runners)) {}
};

}  // namespace parapet::train

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/nn/step_plan.h"

namespace parapet::train {

/// What a step reads besides its batch: extra negatives, masks.
///
/// Thread   one caller at a time.
class StepInputs {
 public:
  /// Keys of evaluations begin here, so that they are those of no step: this plus the index of the
  /// batch within its part. Losses of the same batch compare from epoch to epoch.
  static constexpr std::uint64_t kEvaluation = std::uint64_t{1} << 62;

  virtual ~StepInputs() = default;
  /// The input with what is added. `key`: the step, from 1, or that of an evaluation; what is random
  /// is a function of it and the seed. Views are valid until the call after the next.
  virtual nn::StepInput extend(const nn::StepInput& input, std::uint64_t key) = 0;
};

}  // namespace parapet::train

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/data/dataset/batches.h"
#include "engine/nn/step_batch.h"

namespace parapet::train {

/// Inputs of a step besides its batch: extra negatives, masks.
///
/// Thread   one caller at a time.
class StepInputs {
 public:
  /// Where a batch stands in the run; what is random is a function of it and the seed.
  struct Key {
    /// The step, from 1, or of an evaluation kEvaluation plus the index of the batch within its
    /// part: losses of the same batch compare from epoch to epoch.
    std::uint64_t draw = 1;
    std::int64_t epoch = 1;         ///< from 1; kHeldOut of an evaluation
    std::int64_t firstExample = 0;  ///< of the global batch, within the epoch or the part
  };
  static constexpr std::uint64_t kEvaluation = std::uint64_t{1} << 62;
  static constexpr std::int64_t kHeldOut = 0;
  static Key trainingKey(const data::Batch& batch, std::uint64_t step) {
    return {step, batch.epoch, batch.firstRow};
  }
  static Key evaluationKey(const data::Batch& batch) {
    return {kEvaluation + static_cast<std::uint64_t>(batch.index), kHeldOut, batch.firstRow};
  }

  virtual ~StepInputs() = default;
  /// The input with what is added. Views are valid until the call after the next, if the draws of
  /// successive keys follow one another.
  virtual nn::StepBatch extend(const nn::StepBatch& input, const Key& key) = 0;
};

}  // namespace parapet::train

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/ops/kinds.h"
#include "engine/tensor/ops/run.h"
#include "engine/tensor/ops/step_numbers.h"

namespace parapet::tensor {

/// The parameter to update and the gradient of its rows, grouped or not; see PpUpdateTarget.
using UpdateTarget = PpUpdateTarget;
/// Every row of `weight` [V, D] has its row of `grad` [V, D].
UpdateTarget everyRow(float* weight, std::int64_t tableRows, std::int64_t width, const float* grad);
/// Row rows[u] of `weight` has row u of `grad` [U, D]; `rows` [U] are distinct.
UpdateTarget someRows(float* weight, std::int64_t tableRows, std::int64_t width,
                      std::span<const std::int32_t> rows, const float* grad);

/// Decoupled weight decay of the target's rows, or of every row; its gradient is not used.
PpDecayRows decayOf(const UpdateTarget& target, Rate factor, RowsMoved moved);

/// The step-dependent factors of Adam: w −= stepSize·m/(√v·rootScale + ε).
struct AdamFactors {
  float stepSize, rootScale;
  /// ε beside the uncorrected √v: stepSize = lr·√(1−β2^t)/(1−β1^t), rootScale = 1 (Keras).
  static AdamFactors uncorrected(double learningRate, double beta1, double beta2,
                                 std::int64_t step);
  /// ε beside the corrected √v̂: stepSize = lr/(1−β1^t), rootScale = 1/√(1−β2^t) (paper, PyTorch).
  static AdamFactors corrected(double learningRate, double beta1, double beta2, std::int64_t step);
};

}  // namespace parapet::tensor

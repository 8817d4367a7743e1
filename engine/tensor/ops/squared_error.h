// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Sums of one batch's errors; added over ranks and batches, never averaged.
struct ErrorSums {
  double squared = 0.0;   ///< Σ w·(p−y)²
  double absolute = 0.0;  ///< Σ w·|p−y|
  double weight = 0.0;    ///< Σ w
};

/// Squared error of predictions, and its gradient.
///
///   gradient[b] = gradientScale·2·w[b]·(prediction[b] − label[b])
///
/// Shapes   prediction, label, gradient [B]; weight [B] or null (all 1); gradient null: not wanted.
/// Units    gradientScale is 1/B of the *global* batch for a mean loss, so ranks' gradients add up.
/// Order    sums in double precision, in the order of b.
/// Errors   InvalidArgument if B < 0.
ErrorSums squaredError(const Launch& launch, std::int64_t rows, const float* prediction,
                       const float* label, const float* weight, float gradientScale,
                       float* gradient);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Squared error of predictions, and its gradient.
///
///   sums += Σ_b w[b]·(prediction[b] − label[b])², Σ_b w[b]·|prediction[b] − label[b]|, Σ_b w[b]
///   gradient[b] = gradientScale·2·w[b]·(prediction[b] − label[b])
///
/// Shapes   prediction, label, gradient [B]; weight [B] or null (all 1); gradient null: not wanted;
///          sums [3], in the device's memory.
/// Units    gradientScale is 1/B of the *global* batch for a mean loss, so ranks' gradients add up.
/// Order    sums in double precision, in the order of b.
/// Errors   InvalidArgument if B < 0.
void squaredError(const Launch& launch, std::int64_t rows, const float* prediction,
                  const float* label, const float* weight, float gradientScale, float* gradient,
                  double* sums);

}  // namespace parapet::tensor

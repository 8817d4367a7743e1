// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Binary cross entropy of logits, and its gradient.
///
///   sum[0] += Σ_b w[b]·(max(s, 0) − s·y + log(1 + e^−|s|))
///           = −Σ_b w[b]·(y·log σ(s) + (1−y)·log(1−σ(s)))
///   gradient[b] = gradientScale·w[b]·(σ(s[b]) − y[b])
///
/// Shapes   logit s, label y in [0, 1], gradient [B]; weight w [B] or null (all 1);
///          gradient null: not wanted; sum [1], in the device's memory.
/// Units    gradientScale as in squaredError; the sum is in nats.
/// Order    in double precision, by fixed blocks of b.
/// Errors   InvalidArgument if B < 0.
void logisticLoss(const Launch& launch, std::int64_t rows, const float* logit, const float* label,
                  const float* weight, float gradientScale, float* gradient, double* sum);

}  // namespace parapet::tensor

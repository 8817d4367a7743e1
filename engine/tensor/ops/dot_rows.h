// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// The score of each pair: out[b] = Σ_d x[b, d]·y[b, d].
///
/// Shapes   x, y [B, D]; out [B].
/// Errors   InvalidArgument if B < 0 or D < 1.
void dotRows(const Launch& launch, std::int64_t rows, std::int64_t width, const float* x,
             const float* y, float* out);

/// Whether a gradient replaces what is there or is added to it.
enum class Accumulate : std::int32_t { kNo = 0, kYes = 1 };

/// dx[b, :] = dout[b]·y[b, :] and dy[b, :] = dout[b]·x[b, :]; either may be null.
void dotRowsGradient(const Launch& launch, std::int64_t rows, std::int64_t width, const float* x,
                     const float* y, const float* dout, float* dx, Accumulate accumulateX,
                     float* dy, Accumulate accumulateY);

}  // namespace parapet::tensor

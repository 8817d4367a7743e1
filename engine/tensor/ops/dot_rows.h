// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// One side of a row-wise product: row `rows[b]` of `data`, or row b where `rows` is null. So the
/// rows of a table are read in place.
struct GatheredRows {
  const float* data = nullptr;
  const std::int32_t* rows = nullptr;
  std::int64_t tableRows = 0;  ///< of `data`, where `rows` is given
};

/// The score of each pair: out[b] = Σ_d x[b, d]·y[b, d].
///
/// Shapes   x, y [B, D] as gathered; out [B]; copyX [B, D] gets the rows of x, unless it is null.
/// Errors   InvalidArgument if B < 0, D < 1 or a gathered row is out of range.
void dotRows(const Launch& launch, std::int64_t rows, std::int64_t width, GatheredRows x,
             GatheredRows y, float* out, float* copyX = nullptr);

/// Whether a gradient replaces what is there or is added to it.
enum class Accumulate : std::int32_t { kNo = 0, kYes = 1 };

/// dx[b, :] = dout[b]·y[b, :] and dy[b, :] = dout[b]·x[b, :]; either may be null.
void dotRowsGradient(const Launch& launch, std::int64_t rows, std::int64_t width, const float* x,
                     const float* y, const float* dout, float* dx, Accumulate accumulateX,
                     float* dy, Accumulate accumulateY);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"
#include "engine/tensor/ops/dot_rows.h"

namespace parapet::tensor {

/// out[b, 0…width) = in[b, 0…width), or += : concatenation, slices and their gradients.
///
/// Shapes   in [B, ≥width] with row stride strideIn; out likewise.
/// Errors   InvalidArgument if B < 0, width < 1 or a stride is shorter than width.
void copyColumns(const Launch& launch, std::int64_t rows, std::int64_t width, const float* in,
                 std::int64_t strideIn, float* out, std::int64_t strideOut, Accumulate accumulate);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"
#include "engine/tensor/ops/dot_rows.h"

namespace parapet::tensor {

/// Adds rows up where they came from: the gradient of gatherRows() with few rows.
///
///   out[v, :] (+)= Σ_{n : rows[n] = v} in[n, :]
///
/// Shapes   rows [N] int32 in [0, V); in [N, D]; out [V, D], all of it written unless it accumulates.
/// Order    sums in the order of n.
/// Errors   InvalidArgument if V < 0, D < 1 or a row is outside [0, V), naming n and the value.
void scatterRows(const Launch& launch, std::span<const std::int32_t> rows, std::int64_t width,
                 const float* in, std::int64_t outRows, float* out, Accumulate accumulate);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "engine/tensor/ops/dot_rows.h"
#include "engine/tensor/ops/optimizers.h"

namespace parapet::tensor {

/// Writes out the gradient of a target's rows. The target's weight is not used.
///
///   out[u, :] = Σ_n scale[n]·grad[gradRows[n], :]        over the values n of row u
///
/// Shapes   out [U, D], not the target's grad.
/// Order    sums in the order of n, so results repeat bit for bit.
/// Errors   InvalidArgument as for the optimizers.
void mergeRows(const Launch& launch, const UpdateTarget& target, float* out);

/// What row-wise Adagrad adds for a shard of a table whose columns are split.
///
///   out[u] (+)= Σ_d g[u, d]²/columns        over the columns d of the target
///
/// Shapes   out [U]; columns: those of the whole table.
/// Errors   InvalidArgument as for the optimizers, and if columns < 1.
void meanSquares(const Launch& launch, const UpdateTarget& target, std::int64_t columns, float* out,
                 Accumulate accumulate);

/// sum[0] += Σ in[i]², in double precision.
///
/// Shapes   sum [1], in the device's memory.
/// Order    fixed by `count`.
/// Errors   InvalidArgument if count < 0; 0 adds 0.
void sumSquares(const Launch& launch, const float* in, std::int64_t count, double* sum);

/// values[i] = values[i]·factor, then clipped to [−limit, limit]; NaN stays NaN.
///
/// Errors   InvalidArgument if count < 0 or limit < 0.
void scaleClamp(const Launch& launch, float* values, std::int64_t count, float factor,
                float limit = std::numeric_limits<float>::infinity());

/// values[i] = values[i]·min(1, maxNorm/√squares[0]).
///
/// Shapes   squares [1], in the device's memory: of all that the norm is of.
/// Errors   InvalidArgument if count < 0 or maxNorm ≤ 0.
void clipByNorm(const Launch& launch, float* values, std::int64_t count, const double* squares,
                double maxNorm);

/// out[0] += factor·Σ_i a[i]·b[i], the sum in double precision.
///
/// Order    fixed by `count`.
/// Errors   InvalidArgument if count < 0.
void innerProduct(const Launch& launch, const float* a, const float* b, std::int64_t count,
                  float factor, float* out);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "engine/base/progress.h"
#include "engine/base/workers.h"

namespace parapet::retrieval {

/// Inverts a symmetric positive definite matrix in place, by sweeps over blocks of columns: with
/// the block K, P = (A_KK)⁻¹ and C = A_·K, a sweep makes
///
///   A_ij ← A_ij − (C·P·Cᵀ)_ij,   A_iK ← (C·P)_i,   A_KK ← −P      (i, j outside of K)
///
/// and after all of them A is −A⁻¹. Nearly all of it are matrix products of the lower triangle.
///
/// Shapes   matrix [n, n] row-major f32, of which the lower triangle is read; all of it is written.
/// Time     n³ multiplications and additions together. Memory: 3·256·n floats besides the matrix.
/// Order    fixed by n; the number of workers changes no bit.
/// Returns  false if `context` was cancelled; the matrix is of no use then.
/// Errors   InternalError if the matrix is not positive definite; InvalidArgument if sizes differ.
/// Thread   the workers (null: the calling thread) are its own while it runs.
/// Source   Goodnight, "A Tutorial on the SWEEP Operator" (1979), by blocks.
bool invertSymmetric(std::span<float> matrix, std::int64_t n, Workers* workers,
                     const WorkContext& context = {});

}  // namespace parapet::retrieval

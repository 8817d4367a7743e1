// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Sums gradient rows that share an index, so each embedding row is updated once.
///
///   merged[u, :] = Σ_{n : rows[n] = mergedRows[u]} grad[n, :]
///
/// Shapes   rows [N] int32 in [0, V); grad [N, D] f32; slotOfRow [V] int32, −1 everywhere before
/// and
///          after; mergedRows [≥U], merged [≥U, D] with U ≤ N. Returns U.
/// Units    grad is d(loss)/d(row).
/// Order    mergedRows in order of first appearance; sums in the order of n, so results repeat bit
///          for bit however the batch was cut over ranks.
/// Errors   InvalidArgument if a row is outside [0, V), naming n and the value; N = 0 gives U = 0.
std::int64_t mergeRows(const Launch& launch, std::span<const std::int32_t> rows, const float* grad,
                       std::int64_t tableRows, std::int64_t width, std::int32_t* slotOfRow,
                       std::int32_t* mergedRows, float* merged);

}  // namespace parapet::tensor

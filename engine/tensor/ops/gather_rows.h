// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Looks embedding rows up.
///
///   out[n, :] = table[rows[n], :]
///
/// Shapes   table [V, D] f32; rows [N] int32 in [0, V); out [N, D].
/// Errors   InvalidArgument if a row is outside [0, V), naming n and the value; N = 0 does nothing.
void gatherRows(const Launch& launch, const float* table, std::int64_t tableRows,
                std::int64_t width, std::span<const std::int32_t> rows, float* out);

}  // namespace parapet::tensor

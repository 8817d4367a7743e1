// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Puts rows where they belong: the reverse of gatherRows() for rows that differ.
///
///   out[rows[n], :] = in[n, :]
///
/// Shapes   rows [N] int32 in [0, V), distinct; in [N, D]; out [V, D], whose other rows stay.
/// Errors   InvalidArgument if V < 0, D < 1 or a row is outside [0, V), naming n and the value.
void replaceRows(const Launch& launch, std::span<const std::int32_t> rows, std::int64_t width,
                 const float* in, std::int64_t outRows, float* out);

}  // namespace parapet::tensor

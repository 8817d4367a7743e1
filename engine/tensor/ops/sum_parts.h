// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// out[i] = Σ_p parts[p][i], in the order of p: the local half of every reduction.
///
/// Shapes   each part and out [count]; out may be parts[0].
/// Errors   InvalidArgument if there is no part or count < 0.
void sumParts(const Launch& launch, std::span<const float* const> parts, std::int64_t count,
              float* out);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// out[i] = value for i in [0, count).
///
/// Errors   InvalidArgument if count < 0.
void fill(const Launch& launch, float* out, std::int64_t count, float value);

}  // namespace parapet::tensor

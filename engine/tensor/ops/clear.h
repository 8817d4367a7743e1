// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/run.h"

namespace parapet::tensor {

/// Every element becomes 0; the zero of f64 is two of f32.
inline void clear(const Launch& launch, Buffer<double>& out) {
  run(launch, PpFill{reinterpret_cast<float*>(out.data()), 2 * out.size(), 0.0f});
}

}  // namespace parapet::tensor

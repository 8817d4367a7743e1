// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/run.h"

namespace parapet::tensor {

/// Every element becomes 0, whose bits are those of zeros of f32; nothing in a dry run.
template <class T>
void clear(const Launch& launch, Buffer<T>& out) {
  static_assert(sizeof(T) % sizeof(float) == 0);
  constexpr std::int64_t kFloats = sizeof(T) / sizeof(float);
  if (!launch.device->isDry())
    run(launch, PpFill{reinterpret_cast<float*>(out.data()), kFloats * out.size(), 0.0f});
}

}  // namespace parapet::tensor

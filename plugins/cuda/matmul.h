// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cuda/device_code.h"
#include "plugins/cuda/stream.h"

namespace parapet::cuda {

/// To the nearest bf16, ties to even. NaN stays NaN.
inline PP_DEVICE float roundedToBf16(float x) {
  if (x != x) return x;
  std::uint32_t bits = bitsOf(x);
  bits += 0x7fffu + (bits >> 16 & 1u);
  return floatOf(bits & 0xffff0000u);
}

/// A matrix product within an op: by the library of the stream, else by our kernel.
void multiply(const PpCall* call, Scratch scratch, const PpMatmul& product);

}  // namespace parapet::cuda

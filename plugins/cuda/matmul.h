// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cuda/device_code.h"
#include "plugins/cuda/stream.h"

namespace parapet::cuda {

/// To the nearest number without the last `Bits` of its mantissa, ties to even. NaN stays NaN.
template <int Bits>
inline PP_DEVICE float roundedBy(float x) {
  if (x != x) return x;
  std::uint32_t bits = bitsOf(x);
  bits += (1u << (Bits - 1)) - 1u + (bits >> Bits & 1u);
  return floatOf(bits >> Bits << Bits);
}
inline PP_DEVICE float roundedToBf16(float x) {
  return roundedBy<16>(x);
}

/// The upper half of the bits of an f32, rounded to the nearest; NaN stays NaN.
inline PP_DEVICE std::uint16_t bf16BitsOf(float x) {
  if (x != x) return static_cast<std::uint16_t>(bitsOf(x) >> 16 | 0x40u);
  return static_cast<std::uint16_t>(bitsOf(roundedToBf16(x)) >> 16);
}

/// An operand of a product in a precision of PpCall.
inline PP_DEVICE float operand(float x, std::int32_t precision) {
  if (precision == PP_PRECISION_BF16) return roundedToBf16(x);
  return precision == PP_PRECISION_TF32 ? roundedBy<13>(x) : x;
}

/// A matrix product within an op: by the library of the stream, else by our kernel.
void multiply(const PpCall* call, Scratch scratch, const PpMatmul& product);

}  // namespace parapet::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace parapet::plugin {

/// As many f32 as one register of x86-64-v3 holds. + − · / work element by element.
using Floats = float __attribute__((vector_size(32)));
inline Floats squareRoot(Floats x) {
  return _mm256_sqrt_ps(x);
}
inline Floats splat(float x) {
  return _mm256_set1_ps(x);
}
inline constexpr std::int64_t kLanes = sizeof(Floats) / sizeof(float);

// The same functions for a single float, so that one template writes a row and its rest.
inline float squareRoot(float x) {
  return __builtin_sqrtf(x);
}

template <class Number>
inline constexpr std::int64_t kWidth = sizeof(Number) / sizeof(float);

// Not by memcpy: a store of bytes might change anything, and every pointer in sight is read again.
template <class Number>
using Unaligned __attribute__((aligned(4))) = Number;
template <class Number>
inline Number load(const float* from) {
  return *reinterpret_cast<const Unaligned<Number>*>(from);
}
template <class Number>
inline void store(float* to, Number x) {
  *reinterpret_cast<Unaligned<Number>*>(to) = x;
}

/// A bit a lane of what a comparison of two Floats gives, the first lane lowest.
inline unsigned laneBits(decltype(Floats{} < Floats{}) lanes) {
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(lanes)));
}

/// One of two numbers, lane by lane; both are there.
inline Floats where(decltype(Floats{} < Floats{}) holds, Floats yes, Floats no) {
  return holds ? yes : no;
}
inline float where(bool holds, float yes, float no) {
  return holds ? yes : no;
}

/// Σ over the lanes, halves first.
inline float sum(Floats x) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
inline float sum(float x) {
  return x;
}

/// Calls body(width) with the usual widths as constants, so that the loops over a row are unrolled.
template <class Body>
inline void withWidth(std::int64_t width, const Body& body) {
  switch (width) {
    case 16:
      return body(std::integral_constant<std::int64_t, 16>{});
    case 32:
      return body(std::integral_constant<std::int64_t, 32>{});
    case 64:
      return body(std::integral_constant<std::int64_t, 64>{});
    case 128:
      return body(std::integral_constant<std::int64_t, 128>{});
    default:
      return body(width);
  }
}

/// Calls body<Number, N>(d) so that chunks of N·kWidth<Number> elements from d on cover [0, width):
/// eight registers at a time, then four, one, and single elements.
template <class Width, class Body>
inline void forChunks(Width width, const Body& body) {
  if constexpr (std::is_integral_v<Width>) {
    std::int64_t d = 0;
    for (; d + 8 * kLanes <= width; d += 8 * kLanes) body.template operator()<Floats, 8>(d);
    for (; d + 4 * kLanes <= width; d += 4 * kLanes) body.template operator()<Floats, 4>(d);
    for (; d + kLanes <= width; d += kLanes) body.template operator()<Floats, 1>(d);
    for (; d < width; ++d) body.template operator()<float, 1>(d);
  } else {
    constexpr int kRegisters = std::min<int>(8, Width::value / kLanes);
    static_assert(Width::value % (kRegisters * kLanes) == 0);
    for (std::int64_t d = 0; d < Width::value; d += kRegisters * kLanes)
      body.template operator()<Floats, kRegisters>(d);
  }
}

/// Asks for the cache lines of a row that will be read, and perhaps written, soon.
inline void prefetchRow(const float* row, std::int64_t width) {
  constexpr std::int64_t kLine = 64 / sizeof(float);
  for (std::int64_t d = 0; d < width; d += kLine) __builtin_prefetch(row + d, 1);
}

}  // namespace parapet::plugin

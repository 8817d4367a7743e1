// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace parapet::plugin {

/// Eight f32 side by side, one register of x86-64-v3. + − · / work element by element.
using Eight = float __attribute__((vector_size(32)));
inline Eight squareRoot(Eight x) {
  return _mm256_sqrt_ps(x);
}
inline Eight larger(Eight x, Eight y) {
  return _mm256_max_ps(x, y);
}
/// Σ over the lanes, halves first.
inline float sum(Eight x) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}

#ifdef __AVX512F__
/// One register of f32: sixteen on x86-64-v4.
using Floats = float __attribute__((vector_size(64)));
inline Floats squareRoot(Floats x) {
  return _mm512_sqrt_ps(x);
}
inline Floats larger(Floats x, Floats y) {
  return _mm512_max_ps(x, y);
}
inline Floats splat(float x) {
  return _mm512_set1_ps(x);
}
using HalfFloats = Eight;
inline HalfFloats lowHalf(Floats x) {
  return _mm512_castps512_ps256(x);
}
inline HalfFloats highHalf(Floats x) {
  return _mm512_extractf32x8_ps(x, 1);
}
inline float sum(Floats x) {
  return sum(lowHalf(x) + highHalf(x));
}
/// A bit a lane of where x < y, the first lane lowest.
inline unsigned lanesBelow(Floats x, Floats y) {
  return _mm512_cmp_ps_mask(x, y, _CMP_LT_OQ);
}
/// The first lanes alone; what follows them is not touched, and 0 in the register.
inline Floats loadFirst(const float* from, std::int64_t lanes) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << lanes) - 1), from);
}
inline void storeFirst(float* to, std::int64_t lanes, Floats x) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << lanes) - 1), x);
}
#else
/// One register of f32: eight on x86-64-v3.
using Floats = Eight;
using HalfFloats = float __attribute__((vector_size(16)));
inline HalfFloats lowHalf(Floats x) {
  return _mm256_castps256_ps128(x);
}
inline HalfFloats highHalf(Floats x) {
  return _mm256_extractf128_ps(x, 1);
}
inline Floats splat(float x) {
  return _mm256_set1_ps(x);
}
/// A bit a lane of where x < y, the first lane lowest.
inline unsigned lanesBelow(Floats x, Floats y) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_LT_OQ)));
}
/// The first lanes alone; what follows them is not touched, and 0 in the register.
inline __m256i firstLanes(std::int64_t lanes) {
  alignas(32) static constexpr std::int32_t kMasks[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kMasks + 8 - lanes));
}
inline Floats loadFirst(const float* from, std::int64_t lanes) {
  return _mm256_maskload_ps(from, firstLanes(lanes));
}
inline void storeFirst(float* to, std::int64_t lanes, Floats x) {
  _mm256_maskstore_ps(to, firstLanes(lanes), x);
}
#endif
inline constexpr std::int64_t kLanes = sizeof(Floats) / sizeof(float);
/// How many registers the instruction set has.
inline constexpr int kRegisters = kLanes == 16 ? 32 : 16;

/// Eight lanes that have the same sum.
inline Eight foldedToEight(Floats x) {
#ifdef __AVX512F__
  return lowHalf(x) + highHalf(x);
#else
  return x;
#endif
}

// Overloads for a single float, so that one template writes a row and its rest.
inline float squareRoot(float x) {
  return __builtin_sqrtf(x);
}
inline float larger(float x, float y) {
  return std::max(y, x);
}
inline float sum(float x) {
  return x;
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

/// One of two numbers, lane by lane; both are there.
template <class Lanes, class Number>
inline Number where(Lanes holds, Number yes, Number no) {
  return holds ? yes : no;
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
/// eight registers at a time, then four, one, eight elements where a register has more, and single
/// elements.
template <class Width, class Body>
inline void forChunks(Width width, const Body& body) {
  if constexpr (std::is_integral_v<Width>) {
    std::int64_t d = 0;
    for (; d + 8 * kLanes <= width; d += 8 * kLanes) body.template operator()<Floats, 8>(d);
    for (; d + 4 * kLanes <= width; d += 4 * kLanes) body.template operator()<Floats, 4>(d);
    for (; d + kLanes <= width; d += kLanes) body.template operator()<Floats, 1>(d);
    if constexpr (kLanes > kWidth<Eight>)
      for (; d + kWidth<Eight> <= width; d += kWidth<Eight>) body.template operator()<Eight, 1>(d);
    for (; d < width; ++d) body.template operator()<float, 1>(d);
  } else {
    constexpr int kTogether = std::min<int>(8, Width::value / kLanes);
    static_assert(Width::value % (kTogether * kLanes) == 0);
    for (std::int64_t d = 0; d < Width::value; d += kTogether * kLanes)
      body.template operator()<Floats, kTogether>(d);
  }
}

/// Asks for the cache lines of a row that will be read, and perhaps written, soon.
inline void prefetchRow(const float* row, std::int64_t width) {
  constexpr std::int64_t kLine = 64 / sizeof(float);
  for (std::int64_t d = 0; d < width; d += kLine) __builtin_prefetch(row + d, 1);
}

/// Four f32 side by side: what narrow rows have, as those of a table whose columns lie on eight
/// devices.
using Quad = float __attribute__((vector_size(16)));
inline Quad squareRoot(Quad x) {
  return _mm_sqrt_ps(x);
}
inline constexpr std::int64_t kQuad = sizeof(Quad) / sizeof(float);
inline float sum(Quad x) {
  const __m128 two = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/// forChunks() with chunks of four elements before single ones. What a chunk reads of its row's
/// terms is looked up once per chunk, so that four elements cost as much as one.
template <class Width, class Body>
inline void forNarrowChunks(Width width, const Body& body) {
  if constexpr (std::is_integral_v<Width>) {
    std::int64_t d = 0;
    for (; d + 8 * kLanes <= width; d += 8 * kLanes) body.template operator()<Floats, 8>(d);
    for (; d + 4 * kLanes <= width; d += 4 * kLanes) body.template operator()<Floats, 4>(d);
    for (; d + kLanes <= width; d += kLanes) body.template operator()<Floats, 1>(d);
    if constexpr (kLanes > kWidth<Eight>)
      for (; d + kWidth<Eight> <= width; d += kWidth<Eight>) body.template operator()<Eight, 1>(d);
    for (; d + kQuad <= width; d += kQuad) body.template operator()<Quad, 1>(d);
    for (; d < width; ++d) body.template operator()<float, 1>(d);
  } else if constexpr (Width::value == kQuad) {
    body.template operator()<Quad, 1>(0);
  } else {
    forChunks(width, body);
  }
}

/// withWidth(), for rows of four elements as well.
template <class Body>
inline void withNarrowWidth(std::int64_t width, const Body& body) {
  if (width == kQuad)
    body(std::integral_constant<std::int64_t, kQuad>{});
  else
    withWidth(width, body);
}

}  // namespace parapet::plugin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cpu/floats.h"

namespace parapet::plugin {

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

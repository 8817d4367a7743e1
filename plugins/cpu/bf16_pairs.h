// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/cpu/floats.h"
#include "plugins/cpu/transposes.h"

namespace parapet::plugin {

/// Two neighbours along k, (x[k], x[k+1]), each rounded to bf16; the first in the low half.
using Pair = std::uint32_t;

/// The part of an operand that a panel holds: `count` ≤ `width` lines that are summed over k = from …
/// to.
struct PanelPart {
  const float* data;
  std::int64_t alongLine, alongDepth;  ///< elements between neighbours; one of them is 1
  std::int64_t from, to, count, width;
};

/// f32 rounded to the nearest bf16, ties to even, in the high halves. NaN stays NaN.
inline __m256i rounded(Eight x) {
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i even = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i up = _mm256_add_epi32(bits, _mm256_add_epi32(even, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256 isNan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
  return _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(up), _mm256_castsi256_ps(quiet), isNan));
}

/// (first, second) of each lane.
inline __m256i pairs(__m256i first, __m256i second) {
  return _mm256_blend_epi16(_mm256_srli_epi32(first, 16), second, 0xaa);
}
inline void storePairs(Pair* to, __m256i x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x);
}

#ifdef __AVX512F__
inline Eight firstOf(const float* from, std::int64_t lanes, Eight) {
  return _mm256_maskz_loadu_ps(static_cast<__mmask8>((1u << lanes) - 1), from);
}
inline Floats firstOf(const float* from, std::int64_t lanes, Floats) {
  return loadFirst(from, lanes);
}
inline __m512i rounded(Floats x) {
  const __m512i bits = _mm512_castps_si512(x);
  const __m512i even = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(even, _mm512_set1_epi32(0x7fff)));
  const __mmask16 isNan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  return _mm512_mask_or_epi32(up, isNan, bits, _mm512_set1_epi32(0x400000));
}
inline __m512i pairs(__m512i first, __m512i second) {
  return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(first, 16), second);
}
inline void storePairs(Pair* to, __m512i x) {
  _mm512_storeu_si512(to, x);
}
/// Pairs of 16 adjacent elements, of which `count` are there; the others count as 0.
inline __m256i adjacentPairs(Floats x) {
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded(x), 16));
}
inline __m256i adjacentPairs(const float* from) {
  return adjacentPairs(load<Floats>(from));
}
inline __m256i adjacentPairs(const float* from, std::int64_t count) {
  return adjacentPairs(loadFirst(from, count));
}
#else
inline Eight firstOf(const float* from, std::int64_t lanes, Eight) {
  return loadFirst(from, lanes);
}
/// Pairs of 16 adjacent elements, of which `count` are there; the others count as 0.
inline __m256i adjacentPairs(Eight low, Eight high) {
  const __m256 x = _mm256_castsi256_ps(rounded(low)), y = _mm256_castsi256_ps(rounded(high));
  const __m256i first = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88));
  const __m256i second = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xdd));
  return _mm256_permute4x64_epi64(pairs(first, second), 0xd8);
}
inline __m256i adjacentPairs(const float* from) {
  return adjacentPairs(load<Eight>(from), load<Eight>(from + 8));
}
inline __m256i adjacentPairs(const float* from, std::int64_t count) {
  return adjacentPairs(loadFirst(from, std::min<std::int64_t>(count, 8)),
                       count > 8 ? loadFirst(from + 8, count - 8) : Eight{});
}
#endif

/// The lines lie side by side: `Lanes` of them at a time, two rows of k at a time.
template <class Lanes>
inline void packSideBySide(const PanelPart& part, Pair* out) {
  for (std::int64_t line = 0; line < part.width; line += kWidth<Lanes>) {
    const std::int64_t lines = std::clamp<std::int64_t>(part.count - line, 0, kWidth<Lanes>);
    const float* row = part.data + part.from * part.alongDepth + line;
    Pair* to = out + line;
    const auto of = [lines](const float* from) -> Lanes {
      return lines == kWidth<Lanes> ? load<Lanes>(from) : firstOf(from, lines, Lanes{});
    };
    std::int64_t k = part.from;
    for (; k + 2 <= part.to; k += 2, row += 2 * part.alongDepth, to += part.width)
      storePairs(to, pairs(rounded(of(row)), rounded(of(row + part.alongDepth))));
    if (k < part.to) storePairs(to, pairs(rounded(of(row)), rounded(Lanes{})));
  }
}

/// Each line lies along k: eight lines and sixteen elements of each become columns of pairs. The
/// next eight are asked for meanwhile: a large b comes from memory.
inline void packLines(const PanelPart& part, Pair* out) {
  for (std::int64_t line = 0; line < part.width; line += 8) {
    const std::int64_t lines = std::clamp<std::int64_t>(part.count - line, 0, 8);
    const float* const first = part.data + line * part.alongLine;
    const float* const next = first + 8 * part.alongLine;
    Pair* to = out + line;
    for (std::int64_t k = part.from; k < part.to; k += 16, to += 8 * part.width) {
      const std::int64_t there = std::min<std::int64_t>(16, part.to - k);
      __m256 packed[8];
      if (lines == 8 && there == 16) {
        for (int i = 0; i < 8; ++i) __builtin_prefetch(next + i * part.alongLine + k);
        for (int i = 0; i < 8; ++i)
          packed[i] = _mm256_castsi256_ps(adjacentPairs(first + i * part.alongLine + k));
      } else {
        for (std::int64_t i = 0; i < 8; ++i)
          packed[i] =
              i < lines ? _mm256_castsi256_ps(adjacentPairs(first + i * part.alongLine + k, there))
                        : _mm256_setzero_ps();
      }
      transposeEight(packed);
      for (std::int64_t i = 0; i < (there + 1) / 2; ++i)
        storePairs(to + i * part.width, _mm256_castps_si256(packed[i]));
    }
  }
}

/// out[p · width + line] = pair p of a line; what the operand does not have is 0.
template <class Lanes>
inline void packPairs(const PanelPart& part, Pair* out) {
  if (part.alongDepth == 1)
    packLines(part, out);
  else
    packSideBySide<Lanes>(part, out);
}

}  // namespace parapet::plugin

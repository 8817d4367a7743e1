// SPDX-License-Identifier: Apache-2.0
// Matrix products of operands that are rounded to bf16, on tiles of 16 rows of 64 bytes.
//
// Both operands are packed as pairs along k; of a 32 rows, each a line of pairs, and of b 32
// columns, pair by pair, make four products of tiles, whose sums stay in four tiles. A product of
// tiles adds 32 products to each sum as the instruction defines it,
//
//   first  = fma(a[k], b[k], first)           over the even k of the 32, from 0,
//   second = fma(a[k+1], b[k+1], second)      over the odd ones, from 0,
//   sum    = sum + (first + second),
//
// denormals taken and given as 0. k is filled up with zeros to a multiple of 32. So the bits are
// those of this instruction set, other than those of pairs added one after the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/cpu/bf16_pairs.h"
#include "plugins/cpu/product_blocks.h"

namespace parapet::plugin::tiles {

inline constexpr std::int64_t kTile = 16;  ///< rows of a tile, and its elements of 32 bits a row
inline constexpr std::int64_t kSide = 2 * kTile;             ///< block of four tiles
inline constexpr std::int64_t kMaxRows = 256, kDepth = 512;  ///< of a block
inline constexpr std::int64_t kLinePairs = kDepth / 2;
inline constexpr ProductTile kProductTile{kSide, kSide, kMaxRows, true};

/// to[line · kLinePairs + p] = pair p of a line; `depth` pairs, those that are not there are 0.
inline void packLineByLine(const PanelPart& part, std::int64_t depth, Pair* to) {
  for (std::int64_t line = 0; line < part.width; ++line) {
    Pair* const out = to + line * kLinePairs;
    std::fill_n(out + (part.to - part.from) / 16 * 8, depth - (part.to - part.from) / 16 * 8, 0u);
    if (line < part.count)
      for (std::int64_t k = part.from; k < part.to; k += 16)
        storePairs(out + (k - part.from) / 2,
                   adjacentPairs(part.data + line * part.alongLine + k,
                                 std::min<std::int64_t>(16, part.to - k)));
  }
}

/// Packs a panel whose lines lie side by side.
inline void packAcross(const PanelPart& part, std::int64_t depth, Pair* to) {
  alignas(64) Pair columns[kLinePairs * kTile];
  for (std::int64_t line = 0; line < part.width; line += kTile) {
    PanelPart some = part;
    some.data += line;
    some.count = std::clamp<std::int64_t>(part.count - line, 0, kTile);
    some.width = kTile;
    packSideBySide<Floats>(some, columns);
    const std::int64_t there = (part.to - part.from + 1) / 2;
    std::fill_n(columns + there * kTile, (depth - there) * kTile, 0u);
    for (std::int64_t p = 0; p < depth; p += 8)
      for (std::int64_t i = 0; i < kTile; i += 8) {
        __m256 row[8];
        for (int r = 0; r < 8; ++r)
          row[r] = _mm256_castsi256_ps(
              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns + (p + r) * kTile + i)));
        transposeEight(row);
        for (int r = 0; r < 8; ++r)
          storePairs(to + (line + i + r) * kLinePairs + p, _mm256_castps_si256(row[r]));
      }
  }
}

/// c [32, 32] (+)= 32 lines of a times a panel of 32 columns of b, `depth` pairs deep.
template <class Tiles>
inline void multiplyFour(const Pair* a, const Pair* b, std::int64_t depth, bool adds, float* c,
                         std::int64_t strideC) {
  float* const lower = c + kTile * strideC;
  if (adds) {
    Tiles::template load<0>(c, strideC);
    Tiles::template load<1>(c + kTile, strideC);
    Tiles::template load<2>(lower, strideC);
    Tiles::template load<3>(lower + kTile, strideC);
  } else {
    Tiles::template zero<0>();
    Tiles::template zero<1>();
    Tiles::template zero<2>();
    Tiles::template zero<3>();
  }
  for (std::int64_t p = 0; p < depth; p += kTile) {
    Tiles::template load<4>(a + p, kLinePairs);
    Tiles::template load<5>(a + kTile * kLinePairs + p, kLinePairs);
    Tiles::template load<6>(b + p * kSide, kSide);
    Tiles::template load<7>(b + p * kSide + kTile, kSide);
    Tiles::template addProduct<0, 4, 6>();
    Tiles::template addProduct<1, 4, 7>();
    Tiles::template addProduct<2, 5, 6>();
    Tiles::template addProduct<3, 5, 7>();
  }
  Tiles::template store<0>(c, strideC);
  Tiles::template store<1>(c + kTile, strideC);
  Tiles::template store<2>(lower, strideC);
  Tiles::template store<3>(lower + kTile, strideC);
}

/// multiplyFour() for a corner of c; a smaller one goes through a whole one.
template <class Tiles>
inline void multiplyCorner(const Pair* a, const Pair* b, std::int64_t depth, bool adds, float* c,
                           std::int64_t strideC, std::int64_t rows, std::int64_t columns) {
  if (rows == kSide && columns == kSide) return multiplyFour<Tiles>(a, b, depth, adds, c, strideC);
  alignas(64) float corner[kSide * kSide] = {};
  for (std::int64_t i = 0; adds && i < rows; ++i)
    std::copy_n(c + i * strideC, columns, corner + i * kSide);
  multiplyFour<Tiles>(a, b, depth, adds, corner, kSide);
  for (std::int64_t i = 0; i < rows; ++i) std::copy_n(corner + i * kSide, columns, c + i * strideC);
}

/// A product of at most kMaxRows rows.
template <class Tiles>
void multiplyBlock(const PpMatmul& m) {
  bool adds = m.beta != 0.0f;
  if (m.k == 0 || (adds && m.beta != 1.0f)) scaleSums(m);
  if (m.k == 0) return;
  alignas(64) Pair a[kMaxRows * kLinePairs], b[kSide * kLinePairs];
  const std::int64_t aLine = m.transposeA ? 1 : m.strideA, aDepth = m.transposeA ? m.strideA : 1;
  const std::int64_t bLine = m.transposeB ? m.strideB : 1, bDepth = m.transposeB ? 1 : m.strideB;
  const Tiles configured;
  for (std::int64_t from = 0; from < m.k; from += kDepth, adds = true) {
    const std::int64_t to = std::min(m.k, from + kDepth);
    const std::int64_t there = (to - from + 1) / 2, depth = quotientUp(there, kTile) * kTile;
    for (std::int64_t i = 0; i < m.m; i += kSide) {
      const PanelPart part{m.a + i * aLine,          aLine, aDepth, from, to,
                           std::min(kSide, m.m - i), kSide};
      if (m.transposeA)
        packAcross(part, depth, a + i * kLinePairs);
      else
        packLineByLine(part, depth, a + i * kLinePairs);
    }
    for (std::int64_t j = 0; j < m.n; j += kSide) {
      const std::int64_t columns = std::min(kSide, m.n - j);
      packPairs<Floats>({m.b + j * bLine, bLine, bDepth, from, to, columns, kSide}, b);
      std::fill_n(b + there * kSide, (depth - there) * kSide, 0u);
      for (std::int64_t i = 0; i < m.m; i += kSide)
        multiplyCorner<Tiles>(a + i * kLinePairs, b, depth, adds, m.c + i * m.strideC + j,
                              m.strideC, std::min(kSide, m.m - i), columns);
    }
  }
}

}  // namespace parapet::plugin::tiles

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "plugins/cpu/kernels.h"

namespace parapet::plugin {

/// How the c of a product is cut into blocks for the workers: rows and columns of one, the last of
/// either may be smaller. It depends on the product alone, never on the workers.
struct ProductBlocks {
  std::int64_t rows, columns;
};

/// The tile that an instruction set multiplies at once.
struct ProductTile {
  std::int64_t rows, columns;  ///< of c in the registers
  std::int64_t maxRows;        ///< of a block: what is taken of a at a time stays in a core's cache
  bool packsA;                 ///< even where it is not stored transposed
};

constexpr std::int64_t quotientUp(std::int64_t of, std::int64_t by) {
  return (of + by - 1) / by;
}

/// Blocks worth waking a worker for, and enough of them that several find work to the end.
///
/// Each block packs its part of b, and of a what is stored transposed: with r rows and c columns of
/// a block that costs 1/r + 1/c of its products, and reading a again a part of that. So it is cut
/// in two where that costs less, until there are enough or cutting costs too much.
inline ProductBlocks productBlocks(const PpMatmul& m, const ProductTile& tile) {
  constexpr double kProductsOfBlock = 1 << 21, kCost = 1.0 / 200.0;
  constexpr std::int64_t kBlocks = 16, kMinRows = 32, kMinColumns = 64;
  const auto rows = static_cast<double>(m.m), columns = static_cast<double>(m.n);
  const double worth = rows * columns * static_cast<double>(m.k) / kProductsOfBlock;
  const double costOfA = (tile.packsA || m.transposeA ? 1.0 : 0.25) / std::max(1.0, columns);
  const double costOfB = 1.0 / std::max(1.0, rows);
  const std::int64_t least = std::max<std::int64_t>(1, quotientUp(m.m, tile.maxRows));
  std::int64_t down = least + (least > 1 ? least % 2 : 0), along = 1;
  const std::int64_t first = down;
  while (down * along < kBlocks && static_cast<double>(2 * down * along) <= worth) {
    const bool canDown = m.m >= 2 * down * kMinRows, canAlong = m.n >= 2 * along * kMinColumns;
    if (!canDown && !canAlong) break;
    const bool cutsRows = !canAlong || (canDown && costOfB * static_cast<double>(down) <
                                                       costOfA * static_cast<double>(along));
    const std::int64_t nextDown = cutsRows ? 2 * down : down,
                       nextAlong = cutsRows ? along : 2 * along;
    const double cost = costOfB * static_cast<double>(nextDown - first) +
                        costOfA * static_cast<double>(nextAlong - 1);
    if (down * along > 1 && cost > kCost) break;
    down = nextDown;
    along = nextAlong;
  }
  const auto whole = [](std::int64_t count, std::int64_t blocks, std::int64_t unit) {
    return std::max<std::int64_t>(1, quotientUp(quotientUp(count, blocks), unit)) * unit;
  };
  return {whole(m.m, down, tile.rows), whole(m.n, along, tile.columns)};
}

/// The product that gives c[row + i, column + j], i < rows, j < columns.
inline PpMatmul partOf(const PpMatmul& m, std::int64_t row, std::int64_t rows, std::int64_t column,
                       std::int64_t columns) {
  PpMatmul part = m;
  part.m = rows;
  part.n = columns;
  part.a += m.transposeA ? row : row * m.strideA;
  part.b += m.transposeB ? column * m.strideB : column;
  part.c += row * m.strideC + column;
  if (m.bias) part.bias += column;
  return part;
}

/// c = beta·c, what a product begins with where it neither adds to c nor begins at 0.
inline void scaleSums(const PpMatmul& m) {
  for (std::int64_t i = 0; i < m.m; ++i) {
    float* const row = m.c + i * m.strideC;
    if (m.beta == 0.0f)  // 0·c is no zero where c, never written, holds a NaN
      std::fill_n(row, m.n, 0.0f);
    else
      for (std::int64_t j = 0; j < m.n; ++j) row[j] *= m.beta;
  }
}

/// Calls multiply(part) for each block of c.
template <class Multiply>
void forProductBlocks(const PpCall* call, const PpMatmul& m, const ProductBlocks& blocks,
                      const Multiply& multiply) {
  const std::int64_t along = quotientUp(m.n, blocks.columns);
  forBlocks(call, quotientUp(m.m, blocks.rows) * along, 1, [&](std::int64_t block, std::int64_t) {
    const std::int64_t row = block / along * blocks.rows;
    const std::int64_t column = block % along * blocks.columns;
    multiply(partOf(m, row, std::min(blocks.rows, m.m - row), column,
                    std::min(blocks.columns, m.n - column)));
  });
}

}  // namespace parapet::plugin

// SPDX-License-Identifier: Apache-2.0
// Matrix products in f32: sums in registers, 6 × 16 on x86-64-v3 and 12 × 32 on x86-64-v4, to which
// a column of a times a row of b is added at a time.
//
// The columns of b that the sums cover lie packed in the nearest cache, kDepth rows at a time; a is
// packed only where it is stored transposed. Each sum is one chain of multiply-adds in the order of
// k, so neither blocks nor threads change a bit.
#include <algorithm>
#include <cstring>

#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"
#include "plugins/cpu/product_blocks.h"
#include "plugins/cpu/transposes.h"

namespace parapet::plugin {
namespace {

constexpr int kTileRows = kRegisters == 32 ? 12 : 6;
constexpr std::int64_t kPanel = 2 * kLanes;
constexpr std::int64_t kDepth = 256;
constexpr std::int64_t kMaxRows = 396;  ///< of a block; whole tiles of either instruction set
/// With fewer rows packing b costs more than reading it where it lies.
constexpr std::int64_t kPackedRows = 96;

/// The sums of a tile: a[i, p] = a[i·aRow + p·aDepth], b[p, j] = b[p·bDepth + j].
struct Tile {
  const float* a;
  std::int64_t aRow, aDepth;
  const float* b;
  std::int64_t bDepth, depth;
  float* c;
  std::int64_t strideC;
  bool adds;  ///< to what c holds
};

/// kRows × kColumns registers of c; of the last of them `lanes` elements, where that is not all.
template <int kRows, int kColumns, bool kMasked>
inline void multiplyTile(const Tile& of, std::int64_t lanes) {
  const auto loaded = [lanes](const float* from, int column) -> Floats {
    if (kMasked && column == kColumns - 1) return loadFirst(from + column * kLanes, lanes);
    return load<Floats>(from + column * kLanes);
  };
  Floats sum[kRows][kColumns];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      sum[i][j] = of.adds ? loaded(of.c + i * of.strideC, j) : Floats{};
  const float* a = of.a;
  const float* b = of.b;
  for (std::int64_t p = 0; p < of.depth; ++p, a += of.aDepth, b += of.bDepth) {
    Floats right[kColumns];
    for (int j = 0; j < kColumns; ++j) right[j] = loaded(b, j);
    for (int i = 0; i < kRows; ++i) {
      const Floats left = splat(a[i * of.aRow]);
      for (int j = 0; j < kColumns; ++j) sum[i][j] += left * right[j];
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) {
      float* const to = of.c + i * of.strideC + j * kLanes;
      if (kMasked && j == kColumns - 1)
        storeFirst(to, lanes, sum[i][j]);
      else
        store(to, sum[i][j]);
    }
}

template <int kRows>
inline void multiplyColumns(const Tile& of, std::int64_t columns) {
  if (columns == kPanel) return multiplyTile<kRows, 2, false>(of, kLanes);
  if (columns > kLanes) return multiplyTile<kRows, 2, true>(of, columns - kLanes);
  multiplyTile<kRows, 1, true>(of, columns);
}

/// Multiplies the remaining rows, at most kRows.
template <int kRows>
inline void multiplyRest(const Tile& of, std::int64_t rows, std::int64_t columns) {
  if constexpr (kRows > 0) {
    if (rows == kRows)
      multiplyColumns<kRows>(of, columns);
    else
      multiplyRest<kRows - 1>(of, rows, columns);
  }
}

/// to[p·kTileRows + i] = from[p·stride + i].
void packTransposed(const float* from, std::int64_t stride, std::int64_t rows, std::int64_t depth,
                    float* to) {
  if (rows < kTileRows) {
    for (std::int64_t p = 0; p < depth; ++p, from += stride, to += kTileRows)
      std::copy_n(from, rows, to);
    return;
  }
  constexpr std::size_t kBytes = kTileRows * sizeof(float);
  for (std::int64_t p = 0; p < depth; ++p, from += stride, to += kTileRows)
    std::memcpy(to, from, kBytes);
}

/// panel[p, j] = b[from + p, first + j].
void packPanel(const PpMatmul& m, std::int64_t from, std::int64_t depth, std::int64_t first,
               std::int64_t columns, float* panel) {
  if (m.transposeB)
    return transpose(m.b + first * m.strideB + from, m.strideB, columns, depth, panel, kPanel);
  const float* b = m.b + from * m.strideB + first;
  if (columns < kPanel) {
    for (std::int64_t p = 0; p < depth; ++p, b += m.strideB, panel += kPanel)
      std::copy_n(b, columns, panel);
    return;
  }
  for (std::int64_t p = 0; p < depth; ++p, b += m.strideB, panel += kPanel)
    for (std::int64_t j = 0; j < kPanel; j += kLanes) store(panel + j, load<Floats>(b + j));
}

/// A product of at most kMaxRows rows.
void multiplyBlock(const PpMatmul& m) {
  alignas(64) float panel[kDepth * kPanel], packed[kMaxRows * kDepth];
  bool adds = m.beta != 0.0f;
  if (m.k == 0 || (adds && m.beta != 1.0f)) scaleSums(m);
  const bool packsB = m.transposeB || m.m >= kPackedRows;
  for (std::int64_t from = 0; from < m.k; from += kDepth, adds = true) {
    const std::int64_t depth = std::min(kDepth, m.k - from);
    for (std::int64_t i = 0; m.transposeA && i < m.m; i += kTileRows)
      packTransposed(m.a + from * m.strideA + i, m.strideA,
                     std::min<std::int64_t>(kTileRows, m.m - i), depth, packed + i * depth);
    for (std::int64_t j = 0; j < m.n; j += kPanel) {
      const std::int64_t columns = std::min(kPanel, m.n - j);
      if (packsB) packPanel(m, from, depth, j, columns, panel);
      Tile tile{.a = m.transposeA ? packed : m.a + from,
                .aRow = m.transposeA ? 1 : m.strideA,
                .aDepth = m.transposeA ? kTileRows : 1,
                .b = packsB ? panel : m.b + from * m.strideB + j,
                .bDepth = packsB ? kPanel : m.strideB,
                .depth = depth,
                .c = m.c + j,
                .strideC = m.strideC,
                .adds = adds};
      std::int64_t rows = m.m;
      for (; rows >= kTileRows; rows -= kTileRows) {
        multiplyColumns<kTileRows>(tile, columns);
        tile.a += m.transposeA ? kTileRows * depth : kTileRows * m.strideA;
        tile.c += kTileRows * m.strideC;
      }
      multiplyRest<kTileRows - 1>(tile, rows, columns);
    }
  }
}

/// A product with a vector: its sums do not fill the registers, and Eigen takes it along k.
bool isNarrow(const PpMatmul& m) {
  return m.n == 1 || m.m == 1;
}

/// Eigen's sums, and the epilogue by our functions.
std::int32_t narrowMatmul(const PpCall* call, const PpMatmul& m) {
  PpMatmul sums = m;
  sums.bias = nullptr;
  sums.activation = PP_LINEAR;
  const std::int32_t code = parapet_portable_cpu()->ops->matmul(call, &sums);
  if (code != PP_OK || m.n == 0) return code;
  forBlocks(call, m.m, rowGrain(m.n), [&](std::int64_t begin, std::int64_t end) {
    finishProduct(partOf(m, begin, end - begin, 0, m.n));
  });
  return PP_OK;
}

/// A block of c, whose sums are complete when its last depth is multiplied.
void makeBlock(const PpMatmul& block) {
  multiplyBlock(block);
  finishProduct(block);
}

}  // namespace

std::int32_t matmul(const PpCall* call, const PpMatmul* args) {
  if (call->precision == PP_PRECISION_BF16) return bf16Matmul(call, args);
  if (call->precision == PP_PRECISION_TF32) return PP_UNSUPPORTED;
  if (isNarrow(*args)) return narrowMatmul(call, *args);
  forProductBlocks(call, *args, productBlocks(*args, {kTileRows, kPanel, kMaxRows, false}),
                   makeBlock);
  return PP_OK;
}

std::int32_t tileProduct(const PpCall* call, const PpMatmul* args) {
  if (call->precision == PP_PRECISION_BF16) {
    const PpCall here = tensor::onThisThread(*call);
    return bf16Matmul(&here, args);
  }
  for (std::int64_t row = 0; row < args->m; row += kMaxRows)
    makeBlock(partOf(*args, row, std::min(kMaxRows, args->m - row), 0, args->n));
  return PP_OK;
}

}  // namespace parapet::plugin

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

/// Launch arithmetic: how work is cut into blocks of threads. Plain C++ that depends on shapes
/// alone, so that results repeat, and is tested without a GPU.
namespace parapet::cuda {

inline constexpr std::int64_t kWarp = 32;
inline constexpr std::int64_t kThreads = 256;  ///< of most blocks: what __launch_bounds__ promises
/// Blocks go through more work than there are of them in steps of the whole grid.
inline constexpr std::int64_t kMaxBlocks = 65535;

/// Blocks of so many threads, a multiple of kWarp.
struct Grid {
  std::int64_t blocks = 0;
  std::int64_t threads = kThreads;
};

constexpr std::int64_t ceilDivide(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

/// A thread per element.
constexpr Grid gridOfElements(std::int64_t count) {
  return {std::min(ceilDivide(count, kThreads), kMaxBlocks)};
}

/// A warp per item.
constexpr Grid gridOfWarps(std::int64_t count) {
  return {std::min(ceilDivide(count, kThreads / kWarp), kMaxBlocks)};
}

/// A block per item.
constexpr Grid gridOfBlocks(std::int64_t count) {
  return {std::min(count, kMaxBlocks)};
}

/// Neighbouring threads take neighbouring columns of a row; a block has so many rows at a time.
struct RowGrid {
  Grid grid;
  std::int64_t lanes;         ///< threads of a row, a power of 2
  std::int64_t rowsPerBlock;  ///< kThreads / lanes
};
constexpr RowGrid gridOfRows(std::int64_t rows, std::int64_t width) {
  std::int64_t lanes = 1;
  while (lanes < width && lanes < kThreads) lanes *= 2;
  const std::int64_t each = kThreads / lanes;
  return {{std::min(ceilDivide(rows, each), kMaxBlocks)}, lanes, each};
}

/// Blocks whose sums are added up by a single block, one by each of its threads.
constexpr std::int64_t sumParts(std::int64_t count) {
  constexpr std::int64_t kEach = 4 * kThreads;
  return std::clamp(ceilDivide(count, kEach), std::int64_t{1}, kThreads);
}

/// Sums down the columns of a matrix: strips of kWarp columns, and runs of rows.
struct ColumnCut {
  std::int64_t strips, parts, rowsPerPart;
};
constexpr ColumnCut columnCut(std::int64_t rows, std::int64_t width) {
  constexpr std::int64_t kMinRows = 64, kMaxParts = 64;
  const std::int64_t wanted = std::clamp(ceilDivide(rows, kMinRows), std::int64_t{1}, kMaxParts);
  const std::int64_t each = std::max<std::int64_t>(1, ceilDivide(rows, wanted));
  return {ceilDivide(width, kWarp), std::max<std::int64_t>(1, ceilDivide(rows, each)), each};
}

/// Tiles of a matrix product; where there are few of them, the inner dimension is cut, too, and the
/// parts are added up in their order.
struct MatmulCut {
  static constexpr std::int64_t kTile = 64, kDepth = 16;
  std::int64_t tilesM, tilesN;
  std::int64_t parts, depthPerPart;
};
constexpr MatmulCut matmulCut(std::int64_t m, std::int64_t n, std::int64_t k,
                              std::int64_t scratchElements) {
  constexpr std::int64_t kEnoughTiles = 128, kMinDepth = 256;
  MatmulCut cut{ceilDivide(m, MatmulCut::kTile), ceilDivide(n, MatmulCut::kTile), 1, k};
  const std::int64_t tiles = std::max<std::int64_t>(1, cut.tilesM * cut.tilesN);
  std::int64_t parts = std::min(kEnoughTiles / tiles, k / kMinDepth);
  if (m * n > 0) parts = std::min(parts, scratchElements / (m * n));
  if (parts <= 1) return cut;
  cut.depthPerPart = ceilDivide(ceilDivide(k, parts), MatmulCut::kDepth) * MatmulCut::kDepth;
  cut.parts = ceilDivide(k, cut.depthPerPart);
  return cut;
}

/// Rows and columns of a product whose operands a library is given as packed bf16 at a time: padded
/// to kLine elements, so that every row is aligned for tensor cores. 0: the memory is too small to
/// be worth it.
struct Bf16Cut {
  static constexpr std::int64_t kLine = 8;
  std::int64_t rows, columns;
};
constexpr std::int64_t padded(std::int64_t count) {
  return ceilDivide(count, Bf16Cut::kLine) * Bf16Cut::kLine;
}
constexpr Bf16Cut bf16Cut(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t elements) {
  constexpr std::int64_t kMin = 64;
  const std::int64_t lines = elements / padded(k), whole = Bf16Cut::kLine;
  const std::int64_t columns =
      std::min(padded(n), std::max(lines / 2, lines - padded(m)) / whole * whole);
  const std::int64_t rows = std::min(padded(m), (lines - columns) / whole * whole);
  if (rows < std::min(kMin, padded(m)) || columns < std::min(kMin, padded(n))) return {0, 0};
  return {rows, columns};
}

/// Tiles of attention: positions that a block answers, keys that it meets at a time, and columns of
/// a head that it writes.
struct AttentionCut {
  static constexpr std::int64_t kRows = 16, kColumns = 32, kDepth = 64;
  std::int64_t tiles, chunks;
  [[nodiscard]] constexpr std::int64_t blocks(std::int64_t heads) const {
    return tiles * chunks * heads;
  }
};
constexpr AttentionCut attentionCut(std::int64_t positions, std::int64_t width) {
  return {ceilDivide(positions, AttentionCut::kRows), ceilDivide(width, AttentionCut::kDepth)};
}

/// Queries and candidates whose scores are made at a time, in so many elements of memory, of which
/// a score takes `each` and a query `fixed` more.
struct ScoreCut {
  std::int64_t queries, candidates;  ///< 0: the memory is too small
};
constexpr ScoreCut scoreCut(std::int64_t queries, std::int64_t candidates, std::int64_t elements,
                            std::int64_t each, std::int64_t fixed) {
  constexpr std::int64_t kMinCandidates = 4096;
  const std::int64_t least = std::min(candidates, kMinCandidates);
  const std::int64_t rows =
      std::min(queries, elements / std::max<std::int64_t>(1, least * each + fixed));
  if (rows < 1) return {0, 0};
  return {rows, std::min(candidates, (elements / rows - fixed) / each)};
}

/// Passes of a sort by bytes, for keys in [0, rows).
constexpr int sortPasses(std::int64_t rows) {
  int passes = 1;
  while (passes < 4 && (rows - 1) >> (8 * passes) > 0) ++passes;
  return passes;
}

}  // namespace parapet::cuda

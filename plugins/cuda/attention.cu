// SPDX-License-Identifier: Apache-2.0
// Attention over ragged sequences. A block answers 16 neighbouring positions of one head, whatever
// sequences they are in, for 64 columns of the output: it goes through the keys of those sequences
// 32 at a time, which a warp meets lane by lane, with the running maximum and sum of each position.
// Scores are never written. The gradients go the same way: by queries for dq, by keys for dk and
// dv.
#include "plugins/cuda/draws.h"
#include "plugins/cuda/matmul.h"
#include "plugins/cuda/ops.h"
#include "plugins/cuda/sequences.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

constexpr std::int64_t kRows = AttentionCut::kRows, kColumns = AttentionCut::kColumns;
constexpr std::int64_t kDepth = AttentionCut::kDepth, kWarps = kThreads / kWarp;
constexpr std::int64_t kRowsOfWarp = kRows / kWarps, kSlices = kDepth / kWarp;

using RowTile = float[kRows][kDepth];
using ColumnTile = float[kColumns][kDepth + 1];

/// Positions of a matrix, a head's columns of it.
struct HeadMatrix {
  const float* x;
  std::int64_t stride;
};

/// tile[r][d] = x[first + r, chunk + d]; what lies outside is 0.
template <class Tile>
PP_DEVICE void loadTile(Tile& tile, std::int64_t count, const HeadMatrix& of, std::int64_t first,
                        std::int64_t positions, std::int64_t chunk, std::int64_t width, bool bf16) {
  for (std::int64_t i = thread(); i < count * kDepth; i += kThreads) {
    const std::int64_t r = i / kDepth, d = i % kDepth;
    float x = 0.0f;
    if (first + r < positions && chunk + d < width) x = of.x[(first + r) * of.stride + chunk + d];
    tile[r][d] = bf16 ? roundedToBf16(x) : x;
  }
}

/// Values that the blocks of a pass have in common. A row is a query, or, where `byKeys`, a key.
struct Pass {
  PpAttention a;
  bool bf16, byKeys;
  AttentionCut cut;

  [[nodiscard]] PP_DEVICE std::int64_t head(std::int64_t index) const {
    return index / cut.chunks % a.heads;
  }
  [[nodiscard]] PP_DEVICE std::int64_t firstRow(std::int64_t index) const {
    return index / cut.chunks / a.heads * kRows;
  }
  [[nodiscard]] PP_DEVICE std::int64_t chunk(std::int64_t index) const {
    return index % cut.chunks * kDepth;
  }
  [[nodiscard]] PP_DEVICE HeadMatrix part(std::int64_t which, std::int64_t head) const {
    return {a.qkv + (which * a.heads + head) * a.width, 3 * a.heads * a.width};
  }
  /// Whether a row meets a column of its own sequence.
  [[nodiscard]] PP_DEVICE bool meets(const SequenceOf& in, std::int64_t row,
                                     std::int64_t column) const {
    if (column < in.begin || column >= in.end) return false;
    return !a.causal || (byKeys ? column >= row : column <= row);
  }
  [[nodiscard]] PP_DEVICE float kept(const SequenceOf& in, std::int64_t head, std::int64_t row,
                                     std::int64_t column) const {
    if (a.dropBelow == 0) return a.keptScale;
    const std::int64_t query = (byKeys ? column : row) - in.begin;
    const std::int64_t key = (byKeys ? row : column) - in.begin;
    const std::uint64_t line =
        ((a.first + static_cast<std::uint64_t>(in.sequence)) * static_cast<std::uint64_t>(a.heads) +
         static_cast<std::uint64_t>(head)) *
            static_cast<std::uint64_t>(a.maxLength) +
        static_cast<std::uint64_t>(query);
    const std::uint64_t at =
        line * static_cast<std::uint64_t>(a.maxLength) + static_cast<std::uint64_t>(key);
    return drawnAt(keyOf(a), at) < a.dropBelow ? 0.0f : a.keptScale;
  }
  /// The columns that the rows of a tile meet between them.
  [[nodiscard]] PP_DEVICE SequenceOf columns(std::int64_t firstRow) const {
    const std::int64_t last = firstRow + kRows < a.positions ? firstRow + kRows : a.positions;
    SequenceOf met = sequenceOf(a.offsets, a.sequences, firstRow);
    met.end = sequenceOf(a.offsets, a.sequences, last - 1).end;
    if (a.causal && byKeys) met.begin = firstRow;
    if (a.causal && !byKeys) met.end = last;
    return met;
  }
};

/// The rows of a warp: where they are, and in which sequence.
struct WarpRows {
  std::int64_t row[kRowsOfWarp];
  SequenceOf in[kRowsOfWarp];
  PP_DEVICE WarpRows(const PpAttention& a, std::int64_t firstRow) {
    for (std::int64_t r = 0; r < kRowsOfWarp; ++r) {
      row[r] = firstRow + warp() * kRowsOfWarp + r;
      in[r] = {0, 0, 0};
      if (row[r] < a.positions) in[r] = sequenceOf(a.offsets, a.sequences, row[r]);
    }
  }
};

/// dots[r] = rows[r]·columns[lane], over the whole width.
PP_DEVICE void dotsOf(float (&dots)[kRowsOfWarp], RowTile& rows, ColumnTile& columns,
                      const HeadMatrix& left, std::int64_t firstRow, const HeadMatrix& right,
                      std::int64_t firstColumn, std::int64_t positions, std::int64_t width,
                      bool bf16) {
  for (float& dot : dots) dot = 0.0f;
  for (std::int64_t chunk = 0; chunk < width; chunk += kDepth) {
    loadTile(rows, kRows, left, firstRow, positions, chunk, width, bf16);
    loadTile(columns, kColumns, right, firstColumn, positions, chunk, width, bf16);
    meet();
    const std::int64_t depth = width - chunk < kDepth ? width - chunk : kDepth;
    for (std::int64_t d = 0; d < depth; ++d) {
      const float y = columns[lane()][d];
      for (std::int64_t r = 0; r < kRowsOfWarp; ++r)
        dots[r] += rows[warp() * kRowsOfWarp + r][d] * y;
    }
    meet();
  }
}

/// sums[s] += Σ over the lanes of factor · tile[lane][column of slice s].
PP_DEVICE void addWeighted(float (&sums)[kSlices], float factor, const ColumnTile& tile) {
  for (int column = 0; column < kColumns; ++column) {
    const float share = fromLane(factor, column);
    for (std::int64_t s = 0; s < kSlices; ++s) sums[s] += share * tile[column][s * kWarp + lane()];
  }
}

struct Forward {
  Pass pass;
  PP_DEVICE void operator()(std::int64_t index) const {
    PP_SHARED RowTile rows;
    PP_SHARED ColumnTile columns;
    const PpAttention& a = pass.a;
    const std::int64_t head = pass.head(index), first = pass.firstRow(index);
    const std::int64_t chunk = pass.chunk(index);
    const WarpRows of(a, first);
    float most[kRowsOfWarp], total[kRowsOfWarp], sums[kRowsOfWarp][kSlices] = {};
    for (std::int64_t r = 0; r < kRowsOfWarp; ++r) {
      most[r] = -kInfinity;
      total[r] = 0.0f;
    }
    const SequenceOf met = pass.columns(first);
    for (std::int64_t column = met.begin; column < met.end; column += kColumns) {
      float dots[kRowsOfWarp];
      dotsOf(dots, rows, columns, pass.part(0, head), first, pass.part(1, head), column,
             a.positions, a.width, pass.bf16);
      loadTile(columns, kColumns, pass.part(2, head), column, a.positions, chunk, a.width,
               pass.bf16);
      meet();
      for (std::int64_t r = 0; r < kRowsOfWarp; ++r) {
        const bool valid = pass.meets(of.in[r], of.row[r], column + lane());
        const float score = valid ? a.scale * dots[r] : -kInfinity;
        const float now = maxOverWarp(score > most[r] ? score : most[r]);
        if (now == -kInfinity) continue;
        float power = valid ? std::exp(score - now) : 0.0f;
        const float change = std::exp(most[r] - now);
        total[r] = total[r] * change + sumOverWarp(power);
        for (float& sum : sums[r]) sum *= change;
        most[r] = now;
        if (valid) power *= pass.kept(of.in[r], head, of.row[r], column + lane());
        addWeighted(sums[r], pass.bf16 ? roundedToBf16(power) : power, columns);
      }
      meet();
    }
    for (std::int64_t r = 0; r < kRowsOfWarp; ++r) {
      if (of.row[r] >= a.positions) continue;
      for (std::int64_t s = 0; s < kSlices; ++s) {
        const std::int64_t d = chunk + s * kWarp + lane();
        if (d < a.width) a.out[(of.row[r] * a.heads + head) * a.width + d] = sums[r][s] / total[r];
      }
      if (chunk == 0 && lane() == 0)
        a.logSumExp[of.row[r] * a.heads + head] = most[r] + std::log(total[r]);
    }
  }
};

struct Backward {
  Pass pass;
  const float* dout;
  const float* products;  // dout[i]·out[i] of each position and head
  float* dqkv;

  PP_DEVICE void operator()(std::int64_t index) const {
    PP_SHARED RowTile rows;
    PP_SHARED ColumnTile columns, others;
    const PpAttention& a = pass.a;
    const std::int64_t head = pass.head(index), first = pass.firstRow(index);
    const std::int64_t chunk = pass.chunk(index);
    const WarpRows of(a, first);
    const HeadMatrix upper{dout + head * a.width, a.heads * a.width};
    const HeadMatrix q = pass.part(0, head), k = pass.part(1, head), v = pass.part(2, head);
    float sums[kRowsOfWarp][kSlices] = {}, values[kRowsOfWarp][kSlices] = {};
    const SequenceOf met = pass.columns(first);
    for (std::int64_t column = met.begin; column < met.end; column += kColumns) {
      float scores[kRowsOfWarp], slopes[kRowsOfWarp];
      dotsOf(scores, rows, columns, pass.byKeys ? k : q, first, pass.byKeys ? q : k, column,
             a.positions, a.width, pass.bf16);
      dotsOf(slopes, rows, columns, pass.byKeys ? v : upper, first, pass.byKeys ? upper : v, column,
             a.positions, a.width, pass.bf16);
      loadTile(columns, kColumns, pass.byKeys ? q : k, column, a.positions, chunk, a.width,
               pass.bf16);
      if (pass.byKeys)
        loadTile(others, kColumns, upper, column, a.positions, chunk, a.width, pass.bf16);
      meet();
      for (std::int64_t r = 0; r < kRowsOfWarp; ++r) {
        const std::int64_t query = pass.byKeys ? column + lane() : of.row[r];
        float power = 0.0f, slope = 0.0f;
        if (pass.meets(of.in[r], of.row[r], column + lane())) {
          const std::int64_t at = query * a.heads + head;
          power = std::exp(a.scale * scores[r] - a.logSumExp[at]);
          const float factor = pass.kept(of.in[r], head, of.row[r], column + lane());
          slope = a.scale * power * (factor * slopes[r] - products[at]);
          power *= factor;
        }
        addWeighted(sums[r], pass.bf16 ? roundedToBf16(slope) : slope, columns);
        if (pass.byKeys) addWeighted(values[r], pass.bf16 ? roundedToBf16(power) : power, others);
      }
      meet();
    }
    for (std::int64_t r = 0; r < kRowsOfWarp; ++r) {
      if (of.row[r] >= a.positions) continue;
      for (std::int64_t s = 0; s < kSlices; ++s) {
        const std::int64_t d = chunk + s * kWarp + lane();
        if (d >= a.width) continue;
        float* const line = dqkv + of.row[r] * 3 * a.heads * a.width + head * a.width + d;
        line[(pass.byKeys ? 1 : 0) * a.heads * a.width] = sums[r][s];
        if (pass.byKeys) line[2 * a.heads * a.width] = values[r][s];
      }
    }
  }
};

Pass passOf(const PpCall* call, const PpAttention& args, bool byKeys) {
  return {args, call->precision == PP_PRECISION_BF16, byKeys,
          attentionCut(args.positions, args.width)};
}

}  // namespace

std::int32_t attention(const PpCall* call, const PpAttention* args) {
  const Pass pass = passOf(call, *args, false);
  forBlocks(call, pass.cut.blocks(args->heads), Forward{pass});
  return done(call);
}

std::int32_t attentionGradient(const PpCall* call, const PpAttentionGradient* args) {
  const PpAttention a = args->forward;
  const float* const dout = args->dout;
  Scratch scratch(call);
  auto* const products = scratch.take<float>(a.positions * a.heads);
  forWarps(call, a.positions * a.heads, [=] PP_DEVICE(std::int64_t i) {
    float sum = 0.0f;
    for (std::int64_t d = lane(); d < a.width; d += kWarp)
      sum += dout[i * a.width + d] * a.out[i * a.width + d];
    sum = sumOverWarp(sum);
    if (lane() == 0) products[i] = sum;
  });
  for (const bool byKeys : {false, true}) {
    const Pass pass = passOf(call, a, byKeys);
    forBlocks(call, pass.cut.blocks(a.heads), Backward{pass, dout, products, args->dqkv});
  }
  return done(call);
}

}  // namespace parapet::cuda

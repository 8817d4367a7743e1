// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/tensor/kernels/kernel.h"

/// How CPU kernels of PpNegativesLoss go through their work, on either side of the border.
///
/// A block of queries meets all of its candidates in one product, so that a score is made once and
/// its exponential taken once, and no more than a block's scores are ever kept. A row of scores
/// becomes the row of weights d(loss)/d(score), up to a factor; from the weights of a block come
/// its own gradient, weights · candidates, and its part of the candidates' gradient, weightsᵀ ·
/// queries. Blocks are dealt out to parts by their number alone, and the parts' gradients are added
/// in their order, so the bits do not depend on the workers.
namespace parapet::tensor {

/// The candidates that a block meets, as columns of its scores: those of its group, then those that
/// all queries meet.
struct MetCandidates {
  std::int64_t first, count;       ///< candidates of the group; count 0: none
  std::int64_t extra, extraCount;  ///< candidates that all queries meet
  [[nodiscard]] std::int64_t columns() const { return count + extraCount; }
  /// Column of a candidate; −1: not met.
  [[nodiscard]] std::int64_t columnOf(std::int64_t candidate) const {
    if (candidate >= extra) return count + candidate - extra;
    return candidate >= first && candidate < first + count ? candidate - first : -1;
  }
};

/// The sums over a row of scores. Its line holds weights then: d(loss)/d(f[b, j]) = factor ·
/// line[j].
struct NegativesRow {
  double loss;   ///< before the weight of the example
  float factor;  ///< scales the line
  float own;     ///< d(loss)/d(f[b, b])
};

/// A row of scores as it comes from the product: line[j] = queries[b]·candidates[j], −inf for what
/// is no negative of the query.
struct NegativesLine {
  float* line;
  const float* shift;  ///< by column; null: 0
  float* spare;        ///< as long as the line
  std::int64_t columns;
  float ownDot, ownShift, inverse;  ///< 1 / temperature
  std::int64_t hardest;             ///< 0: all
};

/// Leaves the `hardest` greatest of a line and makes the others −inf. Of equal ones the first stay.
inline void keepHardest(float* line, std::int64_t count, std::int64_t hardest, float* spare) {
  if (hardest <= 0 || hardest >= count) return;
  std::copy_n(line, count, spare);
  std::nth_element(spare, spare + hardest - 1, spare + count, std::greater<>());
  const float least = spare[hardest - 1];
  std::int64_t equal =
      hardest - std::count_if(line, line + count, [=](float s) { return s > least; });
  for (std::int64_t j = 0; j < count; ++j) {
    if (line[j] > least || (line[j] == least && equal-- > 0)) continue;
    line[j] = -std::numeric_limits<float>::infinity();
  }
}

/// The blocks of a batch: each within one group.
class NegativesCut {
 public:
  explicit NegativesCut(const PpNegativesLoss& args)
      : args_(args),
        cut_(balanced(ppNegativesBlocks(args.rows, args.candidateRows, args.width), args.rows)) {
    for (std::int64_t g = 0; g < groups(); ++g) blocks_ += blocksOf(g);
  }
  [[nodiscard]] std::int64_t parts() const { return std::min(cut_.parts, blocks_); }
  [[nodiscard]] const PpNegativesBlocks& sizes() const { return cut_; }

  struct Block {
    std::int64_t begin, end;
    MetCandidates met;
  };
  /// Calls body(block) for the blocks of a part, in order.
  template <class Body>
  void forPart(std::int64_t part, const Body& body) const {
    const std::int64_t first = blocks_ * part / parts(), last = blocks_ * (part + 1) / parts();
    std::int64_t block = 0;
    for (std::int64_t g = 0; g < groups(); ++g) {
      const std::int64_t begin = args_.groups ? args_.groups[g] : 0, end = endOf(g);
      const MetCandidates met{begin, args_.inBatch ? end - begin : 0, args_.rows,
                              args_.candidateRows - args_.rows};
      for (std::int64_t row = begin; row < end; row += cut_.blockRows, ++block)
        if (block >= first && block < last)
          body(Block{row, std::min(end, row + cut_.blockRows), met});
    }
  }

 private:
  // Keeps the number of blocks and evens out their sizes: a short last one would leave a worker
  // idle. 16 rows are a tile of the products.
  static PpNegativesBlocks balanced(PpNegativesBlocks sizes, std::int64_t rows) {
    const std::int64_t blocks =
        std::max<std::int64_t>(1, (rows + sizes.blockRows - 1) / sizes.blockRows);
    const std::int64_t each = std::max<std::int64_t>(1, (rows + blocks - 1) / blocks);
    sizes.blockRows = std::min(sizes.blockRows, (each + 15) / 16 * 16);
    return sizes;
  }
  [[nodiscard]] std::int64_t groups() const { return args_.groups ? args_.groupCount : 1; }
  [[nodiscard]] std::int64_t endOf(std::int64_t g) const {
    return args_.groups ? args_.groups[g + 1] : args_.rows;
  }
  [[nodiscard]] std::int64_t blocksOf(std::int64_t g) const {
    const std::int64_t begin = args_.groups ? args_.groups[g] : 0;
    return (endOf(g) - begin + cut_.blockRows - 1) / cut_.blockRows;
  }

  const PpNegativesLoss& args_;
  const PpNegativesBlocks cut_;
  std::int64_t blocks_ = 0;
};

/// One part of the work, in its share of the scratch.
template <class Multiply, class RowFunction>
class NegativesPart {
 public:
  NegativesPart(const PpCall& call, const PpNegativesLoss& args, const PpNegativesBlocks& sizes,
                float* memory, const Multiply& multiply, const RowFunction& weigh)
      : call_(onThisThread(call)),
        args_(args),
        stride_(args.candidateRows + 16),
        scores_(memory),
        spare_(scores_ + sizes.blockRows * stride_),
        shift_(spare_ + stride_),
        scaled_(shift_ + stride_),
        gradient_(scaled_ + sizes.blockRows * args.width),
        multiply_(multiply),
        weigh_(weigh) {
    if (args.dCandidates && !startsWithAll())
      std::fill_n(gradient_, args.candidateRows * args.width, 0.0f);
  }
  [[nodiscard]] double loss() const { return loss_; }

  void run(const NegativesCut::Block& block) {
    const std::int64_t rows = block.end - block.begin, width = args_.width;
    const MetCandidates& met = block.met;
    forSegments(met, [&](std::int64_t candidate, std::int64_t count, std::int64_t column) {
      if (args_.shift) std::copy_n(args_.shift + candidate, count, shift_ + column);
      multiply({rows, count, width, 0, 1, args_.queries + block.begin * width, width,
                args_.candidates + candidate * width, width, 0.0f, scores_ + column, stride_});
    });
    for (std::int64_t b = block.begin; b < block.end; ++b) weighRow(block, b);
    if (args_.dQueries) queryGradients(block);
    if (args_.dCandidates) candidateGradients(block);
  }

 private:
  // Every block meets all candidates, so that the first one of a part writes the whole gradient.
  [[nodiscard]] bool startsWithAll() const { return !args_.groups && args_.inBatch; }

  template <class Body>
  void forSegments(const MetCandidates& met, const Body& body) {
    if (met.count > 0 && met.extra == met.first + met.count)
      return body(met.first, met.columns(), std::int64_t{0});
    if (met.count > 0) body(met.first, met.count, std::int64_t{0});
    if (met.extraCount > 0) body(met.extra, met.extraCount, met.count);
  }
  void multiply(const PpMatmul& product) { multiply_(&call_, &product); }

  void weighRow(const NegativesCut::Block& block, std::int64_t b) {
    constexpr float kNone = -std::numeric_limits<float>::infinity();
    const MetCandidates& met = block.met;
    float* const line = scores_ + (b - block.begin) * stride_;
    const std::int64_t own = met.columnOf(b);
    float dot = 0.0f;
    if (own >= 0) {
      dot = line[own];
      line[own] = kNone;
    } else {
      for (std::int64_t d = 0; d < args_.width; ++d)
        dot += args_.queries[b * args_.width + d] * args_.candidates[b * args_.width + d];
    }
    for (const std::int32_t* ring : {args_.sameItem, args_.sameUser})
      for (std::int64_t j = ring ? ring[b] : b; j != b; j = ring[j])
        if (const std::int64_t column = met.columnOf(j); column >= 0) line[column] = kNone;
    const NegativesRow row = weigh_({line, args_.shift ? shift_ : nullptr, spare_, met.columns(),
                                     dot, args_.ownShift ? args_.ownShift[b] : 0.0f,
                                     1.0f / args_.temperature, args_.hardest});
    const float weight = args_.weight ? args_.weight[b] : 1.0f;
    const float scale = args_.gradientScale * weight / args_.temperature;
    factor_[b - block.begin] = row.factor * scale;
    own_[b - block.begin] = row.own * scale;
    loss_ += static_cast<double>(weight) * row.loss;
  }

  void queryGradients(const NegativesCut::Block& block) {
    const std::int64_t width = args_.width;
    float beta = 0.0f;
    forSegments(block.met, [&](std::int64_t candidate, std::int64_t count, std::int64_t column) {
      multiply({block.end - block.begin, width, count, 0, 0, scores_ + column, stride_,
                args_.candidates + candidate * width, width, beta,
                args_.dQueries + block.begin * width, width});
      beta = 1.0f;
    });
    for (std::int64_t b = block.begin; b < block.end; ++b) {
      float* const out = args_.dQueries + b * width;
      const float* const own = args_.candidates + b * width;
      const float factor = factor_[b - block.begin], share = own_[b - block.begin];
      if (beta == 0.0f) std::fill_n(out, width, 0.0f);
      for (std::int64_t d = 0; d < width; ++d) out[d] = factor * out[d] + share * own[d];
    }
  }

  void candidateGradients(const NegativesCut::Block& block) {
    const std::int64_t rows = block.end - block.begin, width = args_.width;
    for (std::int64_t b = block.begin; b < block.end; ++b) {
      const float* const query = args_.queries + b * width;
      float* const scaled = scaled_ + (b - block.begin) * width;
      const float factor = factor_[b - block.begin];
      for (std::int64_t d = 0; d < width; ++d) scaled[d] = factor * query[d];
    }
    const float beta = startsWithAll() && !hasGradient_ ? 0.0f : 1.0f;
    forSegments(block.met, [&](std::int64_t candidate, std::int64_t count, std::int64_t column) {
      multiply({count, width, rows, 1, 0, scores_ + column, stride_, scaled_, width, beta,
                gradient_ + candidate * width, width});
    });
    hasGradient_ = true;
    for (std::int64_t b = block.begin; b < block.end; ++b) {
      float* const own = gradient_ + b * width;
      const float share = own_[b - block.begin];
      for (std::int64_t d = 0; d < width; ++d) own[d] += share * args_.queries[b * width + d];
    }
  }

  PpCall call_;
  const PpNegativesLoss& args_;
  std::int64_t stride_;
  float *scores_, *spare_, *shift_, *scaled_, *gradient_;
  const Multiply& multiply_;
  const RowFunction& weigh_;
  float factor_[256], own_[256];
  bool hasGradient_ = false;
  double loss_ = 0.0;
};

/// The whole of PpNegativesLoss: `multiply` is a matmul, `weigh(NegativesLine)` gives a
/// NegativesRow.
template <class Multiply, class RowFunction>
std::int32_t runNegatives(const PpCall* call, const PpNegativesLoss* given,
                          const Multiply& multiply, const RowFunction& weigh) {
  PpNegativesLoss known = *given;
  if (known.logTemperature) known.temperature = std::exp(*known.logTemperature);
  const PpNegativesLoss* const args = &known;
  const NegativesCut cut(*args);
  const PpNegativesBlocks& sizes = cut.sizes();
  constexpr std::int64_t kMaxParts = 64;
  double losses[kMaxParts] = {};
  forBlocks(call, cut.parts(), 1, [&](std::int64_t part, std::int64_t) {
    NegativesPart<Multiply, RowFunction> work(
        *call, *args, sizes, args->scratch + part * sizes.partElements, multiply, weigh);
    cut.forPart(part, [&](const NegativesCut::Block& block) { work.run(block); });
    losses[part] = work.loss();
  });
  double sum = 0.0;
  for (std::int64_t part = 0; part < cut.parts(); ++part) sum += losses[part];
  *args->sum += sum;
  if (!args->dCandidates) return PP_OK;
  const std::int64_t stride = args->candidateRows + 16;
  const float* const first =
      args->scratch + (sizes.blockRows + 2) * stride + sizes.blockRows * args->width;
  forBlocks(call, args->candidateRows * args->width, std::int64_t{64} * 1024,
            [&](std::int64_t begin, std::int64_t end) {
              std::fill(args->dCandidates + begin, args->dCandidates + end, 0.0f);
              for (std::int64_t part = 0; part < cut.parts(); ++part) {
                const float* const from = first + part * sizes.partElements;
                for (std::int64_t i = begin; i < end; ++i) args->dCandidates[i] += from[i];
              }
            });
  return PP_OK;
}

}  // namespace parapet::tensor

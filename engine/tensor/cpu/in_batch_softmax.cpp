// SPDX-License-Identifier: Apache-2.0
// Softmax over the candidates of a batch without its [B, B] scores: they are made tile by tile,
// once for the queries and once more for the candidates. A block of queries meets the candidates in
// order and keeps the greatest score so far and the sums relative to it, in which its gradient
// grows as Σ_j e^{s_bj − m_b}·c_j; when a tile brings a greater score all of it is scaled down. A
// block of candidates then meets all queries, whose sums are known by now. No two blocks write the
// same row, and each adds in the order of its tiles, so the bits do not depend on the workers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/eigen.h"

namespace parapet::tensor::cpu {
namespace {

constexpr std::int64_t kBlock = 64, kTile = 256;  // a tile of scores takes 64 KiB

using Row = Eigen::Map<Eigen::ArrayXf>;

/// Rows [first, first + count) of a matrix [·, width].
ConstMap rowsOf(const float* matrix, std::int64_t width, std::int64_t first, std::int64_t count) {
  return {matrix + first * width, count, width, Stride(width)};
}

/// Scores of a block of rows against a tile of the other side.
class Tile {
 public:
  Map multiply(const ConstMap& block, const ConstMap& others, float inverse) {
    Map scores(scores_, block.rows(), others.rows(), Stride(kTile));
    scores.noalias() = block * others.transpose();
    scores *= inverse;
    return scores;
  }
  Row row(std::int64_t row, std::int64_t count) { return {scores_ + row * kTile, count}; }

 private:
  alignas(64) float scores_[kBlock * kTile];
};

float weightOf(const PpInBatchSoftmax& args, std::int64_t row) {
  return args.weight ? args.weight[row] : 1.0f;
}

double ofQueries(const PpInBatchSoftmax& args, std::int64_t begin, std::int64_t count) {
  const float inverse = 1.0f / args.temperature;
  const std::int64_t width = args.width;
  Tile tile;
  float greatest[kBlock], own[kBlock];
  double sums[kBlock] = {};
  std::fill_n(greatest, count, -std::numeric_limits<float>::infinity());
  const ConstMap queries = rowsOf(args.queries, width, begin, count);
  Map gradient(args.dQueries ? args.dQueries + begin * width : nullptr, args.dQueries ? count : 0,
               width, Stride(width));
  gradient.setZero();
  for (std::int64_t first = 0; first < args.rows; first += kTile) {
    const std::int64_t others = std::min(kTile, args.rows - first);
    const ConstMap candidates = rowsOf(args.candidates, width, first, others);
    const Map scores = tile.multiply(queries, candidates, inverse);
    for (std::int64_t q = 0; q < count; ++q) {
      Row row = tile.row(q, others);
      const std::int64_t at = begin + q - first;
      if (at >= 0 && at < others) own[q] = row[at];
      const float before = greatest[q];
      greatest[q] = std::max(before, row.maxCoeff());
      if (greatest[q] > before) {
        const float factor = std::exp(before - greatest[q]);
        sums[q] *= static_cast<double>(factor);
        if (args.dQueries) gradient.row(q) *= factor;
      }
      row = (row - greatest[q]).exp();
      sums[q] += static_cast<double>(row.sum());
    }
    if (args.dQueries) gradient.noalias() += scores * candidates;
  }
  double sum = 0.0;
  for (std::int64_t q = 0; q < count; ++q) {
    const std::int64_t row = begin + q;
    const float weight = weightOf(args, row);
    const double logSum = static_cast<double>(greatest[q]) + std::log(sums[q]);
    args.logSumExp[row] = static_cast<float>(logSum);
    sum += static_cast<double>(weight) * (logSum - static_cast<double>(own[q]));
    if (!args.dQueries) continue;
    gradient.row(q) = args.gradientScale * weight * inverse *
                      (gradient.row(q) * static_cast<float>(1.0 / sums[q]) -
                       rowsOf(args.candidates, width, row, 1));
  }
  return sum;
}

void ofCandidates(const PpInBatchSoftmax& args, std::int64_t begin, std::int64_t count) {
  const float inverse = 1.0f / args.temperature;
  const std::int64_t width = args.width;
  Tile tile;
  float factor[kTile];
  const ConstMap candidates = rowsOf(args.candidates, width, begin, count);
  Map gradient(args.dCandidates + begin * width, count, width, Stride(width));
  gradient.setZero();
  for (std::int64_t first = 0; first < args.rows; first += kTile) {
    const std::int64_t others = std::min(kTile, args.rows - first);
    const ConstMap queries = rowsOf(args.queries, width, first, others);
    const Map scores = tile.multiply(candidates, queries, inverse);
    for (std::int64_t q = 0; q < others; ++q)
      factor[q] = args.gradientScale * weightOf(args, first + q) * inverse;
    const Eigen::Map<const Eigen::ArrayXf> factors(factor, others),
        logSums(args.logSumExp + first, others);
    for (std::int64_t c = 0; c < count; ++c) {
      Row row = tile.row(c, others);
      row = (row - logSums).exp() * factors;
      const std::int64_t at = begin + c - first;
      if (at >= 0 && at < others) row[at] -= factor[at];
    }
    gradient.noalias() += scores * queries;
  }
}

}  // namespace

std::int32_t inBatchSoftmax(const PpCall* call, const PpInBatchSoftmax* args) {
  fixCacheSizes();
  *args->sum = sumBlocks(call, args->rows, kBlock, [&](std::int64_t begin, std::int64_t end) {
    double sum = 0.0;
    for (std::int64_t first = begin; first < end; first += kBlock)
      sum += ofQueries(*args, first, std::min(kBlock, end - first));
    return sum;
  });
  if (!args->dCandidates) return PP_OK;
  forBlocks(call, args->rows, kBlock,
            [&](std::int64_t begin, std::int64_t end) { ofCandidates(*args, begin, end - begin); });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu

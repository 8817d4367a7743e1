// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/kernels/kernel.h"

/// How CPU kernels of PpTopK go through their work, on either side of the border: a few queries
/// meet the candidates tile by tile, in their order. `Lines` are those of table_softmax.h.
namespace parapet::tensor {

/// The best candidates of a query so far, in the op's own output.
class BestOfQuery {
 public:
  void begin(const PpTopK& args, std::int64_t query) {
    k_ = args.k;
    rows_ = args.rows + query * args.k;
    scores_ = args.scores + query * args.k;
    std::fill_n(rows_, k_, -1);
    std::fill_n(scores_, k_, -std::numeric_limits<float>::infinity());
  }
  /// Candidates first, first + 1, … with these scores.
  void offerAll(std::int64_t first, const float* scores, std::int64_t count) {
    for (std::int64_t v = 0; v < count; ++v)
      if (count_ < k_ || scores[v] > scores_[k_ - 1]) offer(first + v, scores[v]);
  }
  void subtract(float amount) {
    for (std::int64_t n = 0; n < count_; ++n) scores_[n] -= amount;
  }

 private:
  // Candidates come in ascending order, so one that is equal stays behind.
  void offer(std::int64_t candidate, float score) {
    if (std::isnan(score)) return;
    std::int64_t at = count_ < k_ ? count_++ : k_ - 1;
    for (; at > 0 && scores_[at - 1] < score; --at) {
      scores_[at] = scores_[at - 1];
      rows_[at] = rows_[at - 1];
    }
    scores_[at] = score;
    rows_[at] = static_cast<std::int32_t>(candidate);
  }

  std::int64_t k_ = 0, count_ = 0;
  std::int32_t* rows_ = nullptr;
  float* scores_ = nullptr;
};

/// A few queries, and what they have met.
template <class Multiply, class Lines>
class TopKBlock {
 public:
  static constexpr std::int64_t kQueries = 16, kCandidates = 512;

  TopKBlock(const PpCall& call, const PpTopK& args, const Multiply& multiply, const Lines& lines)
      : call_(call), args_(args), multiply_(multiply), lines_(lines) {}

  void run(std::int64_t begin, std::int64_t end) {
    for (std::int64_t q = begin; q < end; ++q) {
      best_[q - begin].begin(args_, q);
      most_[q - begin] = -std::numeric_limits<float>::infinity();
      total_[q - begin] = 0.0;
    }
    for (std::int64_t v = 0; v < args_.candidateCount; v += kCandidates)
      tile(begin, end, v, std::min(kCandidates, args_.candidateCount - v));
    if (!args_.normalised) return;
    for (std::int64_t q = 0; q < end - begin; ++q)
      best_[q].subtract(static_cast<float>(std::log(total_[q]) + static_cast<double>(most_[q])));
  }

 private:
  void tile(std::int64_t begin, std::int64_t end, std::int64_t v, std::int64_t count) {
    const std::int64_t width = args_.width;
    const PpMatmul product{end - begin, count,
                           width,       0,
                           1,           args_.queries + begin * width,
                           width,       args_.candidates + v * width,
                           width,       0.0f,
                           scores_,     kCandidates};
    multiply_(&call_, &product);
    const float* const bias = args_.bias ? args_.bias + v : nullptr;
    for (std::int64_t q = 0; q < end - begin; ++q) {
      float* const line = scores_ + q * kCandidates;
      const float greatest = lines_.greatest(line, count, bias);
      best_[q].offerAll(v, line, count);
      if (args_.normalised) addPowers(q, line, count, greatest);
    }
  }
  void addPowers(std::int64_t q, float* line, std::int64_t count, float greatest) {
    const float most = std::max(most_[q], greatest);
    total_[q] *= std::exp(static_cast<double>(most_[q]) - static_cast<double>(most));
    total_[q] += static_cast<double>(lines_.powers(line, count, 1.0f, most));
    most_[q] = most;
  }

  const PpCall call_;
  const PpTopK& args_;
  const Multiply& multiply_;
  const Lines& lines_;
  alignas(64) float scores_[kQueries * kCandidates];
  BestOfQuery best_[kQueries];
  float most_[kQueries];
  double total_[kQueries];
};

/// The whole of PpTopK: `multiply` is a matmul.
template <class Multiply, class Lines>
std::int32_t runTopK(const PpCall* call, const PpTopK* args, const Multiply& multiply,
                     const Lines& lines) {
  using Block = TopKBlock<Multiply, Lines>;
  const PpCall alone = onThisThread(*call);
  forBlocks(call, args->queryCount, Block::kQueries, [&](std::int64_t begin, std::int64_t end) {
    Block(alone, *args, multiply, lines).run(begin, end);
  });
  return PP_OK;
}

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/tensor/kernels/kernel.h"

/// How CPU kernels of PpAttention go through their work, on either side of the border.
///
/// A head of a sequence is a task of its own: nothing is summed over heads or sequences. Its
/// queries are taken in tiles, and for each of them its keys. A tile of scores becomes a tile of
/// powers, by the greatest score of each query so far; where a later tile has a greater one, what
/// was summed up before is scaled down. The gradient makes the scores anew and has their
/// probabilities at once, from the logarithm of their sum.
///
/// `Lines` are the functions over a row of a tile that a kernel writes for its instruction set:
///   greatest(line, count, bias)        line += bias (null: 0); the greatest of them
///   powers(line, count, scale, shift)  line = e^(scale·line − shift), 0 where that is denormal; Σ
///   slopes(AttentionLine)              see there
///   keep(line, count, args, first)     line = kept of the draws from `first` on
namespace parapet::tensor {

inline constexpr std::int64_t kQueryTile = 64, kKeyTile = 128;

/// A row of a tile of the gradient: of one query i and `count` keys j.
struct AttentionLine {
  float* scores;         ///< q[i]·k[j]; becomes kept·p[i, j]
  float* slopes;         ///< dout[i]·v[j]; becomes d(loss)/d(q[i]·k[j])
  const float* factors;  ///< kept; null: 1
  std::int64_t count;
  float scale, logSumExp;
  float sum;  ///< dout[i]·out[i]
};

/// One head of one sequence, and where its rows are.
class AttentionHead {
 public:
  AttentionHead(const PpAttention& args, std::int64_t index)
      : args_(args),
        sequence_(index / args.heads),
        head_(index % args.heads),
        values_(args.offsets, sequence_) {}
  [[nodiscard]] std::int64_t length() const { return values_.end - values_.begin; }
  [[nodiscard]] std::int64_t strideIn() const { return 3 * strideOut(); }
  [[nodiscard]] std::int64_t strideOut() const { return args_.heads * args_.width; }
  /// Elements from the first of a [P, 3·H·width] array to its queries, keys or values.
  [[nodiscard]] std::int64_t queries(std::int64_t i) const {
    return (values_.begin + i) * strideIn() + head_ * args_.width;
  }
  [[nodiscard]] std::int64_t keys(std::int64_t j) const { return queries(j) + strideOut(); }
  [[nodiscard]] std::int64_t values(std::int64_t j) const { return keys(j) + strideOut(); }
  /// From the first of a [P, H·width] array.
  [[nodiscard]] std::int64_t out(std::int64_t i) const {
    return (values_.begin + i) * strideOut() + head_ * args_.width;
  }
  [[nodiscard]] std::int64_t logSumExp(std::int64_t i) const {
    return (values_.begin + i) * args_.heads + head_;
  }
  /// How many of the keys from j on, at most `count`, query i sees.
  [[nodiscard]] std::int64_t seen(std::int64_t i, std::int64_t j, std::int64_t count) const {
    return args_.causal ? std::clamp<std::int64_t>(i + 1 - j, 0, count) : count;
  }
  /// Where the keys end that any query before `i` sees.
  [[nodiscard]] std::int64_t keysBefore(std::int64_t i) const {
    return args_.causal ? i : length();
  }
  /// The draw of query i and key j.
  [[nodiscard]] std::uint64_t draw(std::int64_t i, std::int64_t j) const {
    const auto heads = static_cast<std::uint64_t>(args_.heads),
               length = static_cast<std::uint64_t>(args_.maxLength);
    const std::uint64_t row = (args_.first + static_cast<std::uint64_t>(sequence_)) * heads +
                              static_cast<std::uint64_t>(head_);
    return (row * length + static_cast<std::uint64_t>(i)) * length + static_cast<std::uint64_t>(j);
  }

 private:
  const PpAttention& args_;
  std::int64_t sequence_, head_;
  BagValues values_;
};

/// Heads per block so that a block is worth waking a worker for.
inline std::int64_t headGrain(const PpAttention& args) {
  constexpr std::int64_t kProducts = 256 * 1024;
  const std::int64_t length = args.sequences > 0 ? args.positions / args.sequences : 0;
  return 1 + kProducts / ((length * length + 1) * args.width);
}

/// The forward op of one head.
template <class Multiply, class Lines>
class AttentionForward {
 public:
  AttentionForward(const PpCall& call, const PpAttention& args, const Multiply& multiply,
                   const Lines& lines)
      : call_(call), args_(args), multiply_(multiply), lines_(lines) {}

  void run(const AttentionHead& head) {
    for (std::int64_t i = 0; i < head.length(); i += kQueryTile)
      queryTile(head, i, std::min(head.length(), i + kQueryTile));
  }

 private:
  void queryTile(const AttentionHead& head, std::int64_t begin, std::int64_t end) {
    const std::int64_t rows = end - begin, width = args_.width;
    float* const out = args_.out + head.out(begin);
    std::fill_n(greatest_, rows, -std::numeric_limits<float>::infinity());
    std::fill_n(total_, rows, 0.0);
    for (std::int64_t j = 0; j < head.keysBefore(end); j += kKeyTile) {
      const std::int64_t keys = std::min(kKeyTile, head.keysBefore(end) - j);
      multiply({rows, keys, width, 0, 1, args_.qkv + head.queries(begin), head.strideIn(),
                args_.qkv + head.keys(j), head.strideIn(), 0.0f, scores_, kKeyTile});
      for (std::int64_t r = 0; r < rows; ++r) weighRow(head, begin + r, r, j, keys);
      multiply({rows, width, keys, 0, 0, scores_, kKeyTile, args_.qkv + head.values(j),
                head.strideIn(), j == 0 ? 0.0f : 1.0f, out, head.strideOut()});
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      scaleRow(out + r * head.strideOut(), static_cast<float>(1.0 / total_[r]));
      args_.logSumExp[head.logSumExp(begin + r)] =
          static_cast<float>(std::log(total_[r]) + static_cast<double>(greatest_[r]));
    }
  }
  // Row r of the tile: query i and its keys from j on. The powers are summed before any is dropped.
  void weighRow(const AttentionHead& head, std::int64_t i, std::int64_t r, std::int64_t j,
                std::int64_t keys) {
    float* const line = scores_ + r * kKeyTile;
    const std::int64_t count = head.seen(i, j, keys);
    std::fill(line + count, line + keys, 0.0f);
    if (count == 0) return;
    const float greatest =
        std::max(greatest_[r], args_.scale * lines_.greatest(line, count, nullptr));
    if (j > 0 && greatest > greatest_[r]) {
      const float less = std::exp(greatest_[r] - greatest);
      total_[r] *= static_cast<double>(less);
      scaleRow(args_.out + head.out(i), less);
    }
    greatest_[r] = greatest;
    total_[r] += static_cast<double>(lines_.powers(line, count, args_.scale, greatest));
    if (args_.dropBelow == 0) return;
    lines_.keep(factors_, count, args_, head.draw(i, j));
    for (std::int64_t n = 0; n < count; ++n) line[n] *= factors_[n];
  }
  void scaleRow(float* row, float factor) const {
    for (std::int64_t d = 0; d < args_.width; ++d) row[d] *= factor;
  }
  void multiply(const PpMatmul& product) { multiply_(&call_, &product); }

  const PpCall call_;
  const PpAttention& args_;
  const Multiply& multiply_;
  const Lines& lines_;
  alignas(64) float scores_[kQueryTile * kKeyTile];
  float factors_[kKeyTile], greatest_[kQueryTile];
  double total_[kQueryTile];
};

/// The gradient of one head.
template <class Multiply, class Lines>
class AttentionBackward {
 public:
  AttentionBackward(const PpCall& call, const PpAttentionGradient& args, const Multiply& multiply,
                    const Lines& lines)
      : call_(call), args_(args), forward_(args.forward), multiply_(multiply), lines_(lines) {}

  void run(const AttentionHead& head) {
    for (std::int64_t i = 0; i < head.length(); i += kQueryTile) {
      const std::int64_t end = std::min(head.length(), i + kQueryTile);
      sumRows(head, i, end);
      for (std::int64_t j = 0; j < head.keysBefore(end); j += kKeyTile)
        tile(head, i, end, j, std::min(kKeyTile, head.keysBefore(end) - j));
    }
  }

 private:
  void sumRows(const AttentionHead& head, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float* const out = forward_.out + head.out(i);
      const float* const dout = args_.dout + head.out(i);
      float sum = 0.0f;
      for (std::int64_t d = 0; d < forward_.width; ++d) sum += dout[d] * out[d];
      sums_[i - begin] = sum;
    }
  }
  void tile(const AttentionHead& head, std::int64_t begin, std::int64_t end, std::int64_t j,
            std::int64_t keys) {
    const std::int64_t rows = end - begin, width = forward_.width, in = head.strideIn(),
                       out = head.strideOut();
    const float* const qkv = forward_.qkv;
    const float* const dout = args_.dout + head.out(begin);
    multiply({rows, keys, width, 0, 1, qkv + head.queries(begin), in, qkv + head.keys(j), in, 0.0f,
              scores_, kKeyTile});
    multiply(
        {rows, keys, width, 0, 1, dout, out, qkv + head.values(j), in, 0.0f, slopes_, kKeyTile});
    for (std::int64_t r = 0; r < rows; ++r) weighRow(head, begin + r, r, j, keys);
    multiply({rows, width, keys, 0, 0, slopes_, kKeyTile, qkv + head.keys(j), in,
              j == 0 ? 0.0f : 1.0f, args_.dqkv + head.queries(begin), in});
    // Keys that no query has seen before begin at zero. Under a causal mask they may be a part of a
    // tile, its keys from `old` on.
    const std::int64_t before = begin == 0 ? 0 : head.keysBefore(begin);
    const std::int64_t old = std::clamp<std::int64_t>(before - j, 0, keys);
    keyGradients(head, begin, rows, j, old, 1.0f, 0);
    keyGradients(head, begin, rows, j + old, keys - old, 0.0f, old);
  }
  void keyGradients(const AttentionHead& head, std::int64_t begin, std::int64_t rows,
                    std::int64_t j, std::int64_t keys, float beta, std::int64_t column) {
    if (keys == 0) return;
    const std::int64_t width = forward_.width, in = head.strideIn();
    multiply({keys, width, rows, 1, 0, slopes_ + column, kKeyTile,
              forward_.qkv + head.queries(begin), in, beta, args_.dqkv + head.keys(j), in});
    multiply({keys, width, rows, 1, 0, scores_ + column, kKeyTile, args_.dout + head.out(begin),
              head.strideOut(), beta, args_.dqkv + head.values(j), in});
  }
  void weighRow(const AttentionHead& head, std::int64_t i, std::int64_t r, std::int64_t j,
                std::int64_t keys) {
    const std::int64_t count = head.seen(i, j, keys);
    float* const scores = scores_ + r * kKeyTile;
    float* const slopes = slopes_ + r * kKeyTile;
    if (forward_.dropBelow > 0) lines_.keep(factors_, count, forward_, head.draw(i, j));
    lines_.slopes({scores, slopes, forward_.dropBelow > 0 ? factors_ : nullptr, count,
                   forward_.scale, forward_.logSumExp[head.logSumExp(i)], sums_[r]});
    std::fill(scores + count, scores + keys, 0.0f);
    std::fill(slopes + count, slopes + keys, 0.0f);
  }
  void multiply(const PpMatmul& product) { multiply_(&call_, &product); }

  const PpCall call_;
  const PpAttentionGradient& args_;
  const PpAttention& forward_;
  const Multiply& multiply_;
  const Lines& lines_;
  alignas(64) float scores_[kQueryTile * kKeyTile];
  alignas(64) float slopes_[kQueryTile * kKeyTile];
  float factors_[kKeyTile], sums_[kQueryTile];
};

/// The whole of PpAttention: `multiply` is a matmul.
template <class Multiply, class Lines>
std::int32_t runAttention(const PpCall* call, const PpAttention* args, const Multiply& multiply,
                          const Lines& lines) {
  const PpCall alone = onThisThread(*call);
  const PpAttention a = current(*args);
  forBlocks(call, a.sequences * a.heads, headGrain(a), [&](std::int64_t begin, std::int64_t end) {
    AttentionForward<Multiply, Lines> work(alone, a, multiply, lines);
    for (std::int64_t index = begin; index < end; ++index) work.run(AttentionHead(a, index));
  });
  return PP_OK;
}

/// The whole of PpAttentionGradient.
template <class Multiply, class Lines>
std::int32_t runAttentionGradient(const PpCall* call, const PpAttentionGradient* args,
                                  const Multiply& multiply, const Lines& lines) {
  const PpCall alone = onThisThread(*call);
  const PpAttentionGradient a = current(*args);
  const PpAttention& forward = a.forward;
  forBlocks(call, forward.sequences * forward.heads, headGrain(forward),
            [&](std::int64_t begin, std::int64_t end) {
              AttentionBackward<Multiply, Lines> work(alone, a, multiply, lines);
              for (std::int64_t index = begin; index < end; ++index)
                work.run(AttentionHead(forward, index));
            });
  return PP_OK;
}

}  // namespace parapet::tensor

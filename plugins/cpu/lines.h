// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/kernels/attention_tiles.h"
#include "plugins/cpu/powers.h"

namespace parapet::plugin {

/// Draws the elements that are dropped, as in PpDropout.
struct Draws {
  std::uint64_t key, first;
  std::uint32_t dropBelow;
  float scale;  ///< factor of kept elements; not 0
};

/// factors[i] = 0 where draw(key, first + i) < dropBelow, else scale.
void keepFactors(float* factors, std::int64_t count, const Draws& draws);

/// The functions over a row of a tile that attention, tableSoftmax and topK are made of; the
/// headers of their tiles tell what each does.
struct Lines {
  [[nodiscard]] static float greatest(float* line, std::int64_t count, const float* bias) {
    LineMost most;
    if (bias)
      forLine(count, [&]<class Number>(int i, std::int64_t at) {
        const Number x = load<Number>(line + at) + load<Number>(bias + at);
        store(line + at, x);
        most.add(i, x);
      });
    else
      forLine(count,
              [&]<class Number>(int i, std::int64_t at) { most.add(i, load<Number>(line + at)); });
    return most.most();
  }
  [[nodiscard]] static float powers(float* line, std::int64_t count, float scale, float shift) {
    LineSum sum;
    forLine(count, [&]<class Number>(int i, std::int64_t at) {
      const Number power = powerOf(load<Number>(line + at) * scale - shift);
      store(line + at, power);
      sum.add(i, power);
    });
    return sum.total();
  }
  static void slopes(const tensor::AttentionLine& of) {
    if (of.factors)
      slopesBy<true>(of);
    else
      slopesBy<false>(of);
  }
  static void keep(float* line, std::int64_t count, const PpAttention& args, std::uint64_t first) {
    keepFactors(line, count, {args.key, first, args.dropBelow, args.keptScale});
  }

 private:
  template <bool kFactors>
  static void slopesBy(const tensor::AttentionLine& of) {
    forLine(of.count, [&]<class Number>(int, std::int64_t at) {
      const Number p = powerOf(load<Number>(of.scores + at) * of.scale - of.logSumExp);
      Number kept = p, slope = load<Number>(of.slopes + at);
      if constexpr (kFactors) {
        const Number factor = load<Number>(of.factors + at);
        kept *= factor;
        slope *= factor;
      }
      store(of.scores + at, kept);
      store(of.slopes + at, of.scale * p * (slope - of.sum));
    });
  }
};

}  // namespace parapet::plugin

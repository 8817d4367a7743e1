// SPDX-License-Identifier: Apache-2.0
// Pairs of rows: their products, and the error of what these predict.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {

std::int32_t dotRows(const PpCall* call, const PpDotRows* args) {
  const std::int64_t width = args->width;
  const auto rowOf = [width](const float* data, const std::int32_t* rows, std::int64_t b) {
    return data + (rows ? rows[b] : b) * width;
  };
  const bool ahead = width * args->rows > kCachedNumbers;
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      if (ahead && b + kRowsAhead < end) {
        if (args->xRows) prefetchRow(rowOf(args->x, args->xRows, b + kRowsAhead), width);
        if (args->yRows) prefetchRow(rowOf(args->y, args->yRows, b + kRowsAhead), width);
      }
      const float* x = rowOf(args->x, args->xRows, b);
      const float* y = rowOf(args->y, args->yRows, b);
      float* copy = args->copyX ? args->copyX + b * width : nullptr;
      Floats lanes{};
      float rest = 0.0f;
      forChunks(width, [&]<class Number, int N>(std::int64_t d) {
        Number product[N];
        for (int i = 0; i < N; ++i) {
          const std::int64_t at = d + i * kWidth<Number>;
          const Number left = load<Number>(x + at);
          if (copy) store(copy + at, left);
          product[i] = left * load<Number>(y + at);
        }
        // Pairwise, so that the additions of a chunk do not wait for each other.
        for (int step = 1; step < N; step *= 2)
          for (int i = 0; i + step < N; i += 2 * step) product[i] += product[i + step];
        if constexpr (kWidth<Number> == 1)
          rest += product[0];
        else
          lanes += product[0];
      });
      args->out[b] = sum(lanes) + rest;
    }
  });
  return PP_OK;
}

// Four partial sums of each kind, added at the end in a fixed order.
std::int32_t squaredError(const PpCall*, const PpSquaredError* args) {
  constexpr std::int64_t kParts = 4;
  using Doubles = double __attribute__((vector_size(kParts * sizeof(double))));
  using Singles = float __attribute__((vector_size(kParts * sizeof(float))));
  Doubles squared{}, absolute{}, weights{};
  const auto add = [&](Singles error, Singles weight) {
    const Doubles e = __builtin_convertvector(error, Doubles);
    const Doubles w = __builtin_convertvector(weight, Doubles);
    const Doubles weighted = w * e;
    squared += weighted * e;
    absolute += weighted < 0.0 ? -weighted : weighted;
    weights += w;
  };
  const float factor = args->gradientScale * 2.0f;
  std::int64_t b = 0;
  for (; b + kParts <= args->rows; b += kParts) {
    const Singles error = load<Singles>(args->prediction + b) - load<Singles>(args->label + b);
    const Singles weight = args->weight ? load<Singles>(args->weight + b) : Singles{} + 1.0f;
    add(error, weight);
    if (args->gradient) store(args->gradient + b, factor * weight * error);
  }
  for (; b < args->rows; ++b) {
    const float error = args->prediction[b] - args->label[b];
    const float weight = args->weight ? args->weight[b] : 1.0f;
    add(Singles{error}, Singles{weight});
    if (args->gradient) args->gradient[b] = factor * weight * error;
  }
  const auto total = [](const Doubles& parts) {
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
  };
  args->sums[0] += total(squared);
  args->sums[1] += total(absolute);
  args->sums[2] += total(weights);
  return PP_OK;
}

}  // namespace parapet::plugin

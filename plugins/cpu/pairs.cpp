// SPDX-License-Identifier: Apache-2.0
// Pairs of rows: their products, and the error of what these predict.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {

namespace {

/// Σ product[From … To), pairwise, so that the additions do not wait for each other.
template <int From, int To, class Number, int N>
inline Number sumOf(const Number (&product)[N]) {
  if constexpr (To - From == 1)
    return product[From];
  else
    return sumOf<From, (From + To) / 2>(product) + sumOf<(From + To) / 2, To>(product);
}

/// x·y of one row; `copy`, if not null, gets x.
template <class Width>
inline float dotRow(Width width, const float* x, const float* y, float* copy) {
  Floats lanes{};
  float rest = 0.0f;
  forChunks(width, [&]<class Number, int N>(std::int64_t d) {
    Number left[N], product[N];
    for (int i = 0; i < N; ++i) left[i] = load<Number>(x + d + i * kWidth<Number>);
    for (int i = 0; i < N; ++i) product[i] = left[i] * load<Number>(y + d + i * kWidth<Number>);
    if (copy)
      for (int i = 0; i < N; ++i) store(copy + d + i * kWidth<Number>, left[i]);
    if constexpr (kWidth<Number> == kLanes)
      lanes += sumOf<0, N>(product);
    else
      rest += sum(sumOf<0, N>(product));
  });
  return sum(lanes) + rest;
}

}  // namespace

std::int32_t dotRows(const PpCall* call, const PpDotRows* args) {
  const PpDotRows a = *args;
  const bool xAhead = a.xRows && a.xTableRows * a.width > kCachedElements;
  const bool yAhead = a.yRows && a.yTableRows * a.width > kCachedElements;
  forBlocks(call, a.rows, rowGrain(a.width), [=](std::int64_t begin, std::int64_t end) {
    withWidth(a.width, [=](auto width) {
      const auto xAt = [=](std::int64_t b) { return a.x + (a.xRows ? a.xRows[b] : b) * width; };
      const auto yAt = [=](std::int64_t b) { return a.y + (a.yRows ? a.yRows[b] : b) * width; };
      for (std::int64_t b = begin; b < end; ++b) {
        if (xAhead && b + kRowsAhead < end) prefetchRow(xAt(b + kRowsAhead), width);
        if (yAhead && b + kRowsAhead < end) prefetchRow(yAt(b + kRowsAhead), width);
        a.out[b] = dotRow(width, xAt(b), yAt(b), a.copyX ? a.copyX + b * width : nullptr);
      }
    });
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

// SPDX-License-Identifier: Apache-2.0
// Dot products of all pairs of parts. The row of every part is first copied side by side: the parts
// lie at the same offsets of large buffers, where their rows would push each other out of the
// cache.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {
namespace {

using tensor::PairsOfParts;

/// How many partners of a part are multiplied with it at a time: the part is read once for them,
/// and no sum waits for another.
constexpr std::int64_t kPartners = kWidth<Eight>;
/// Numbers of a row of all parts that are copied; more take the portable way.
constexpr std::int64_t kTile = 16 * 1024;

/// Copies row b of all parts to tile [parts, width].
template <class Width>
inline void copyRows(Width width, const float* const* in, std::int64_t parts, std::int64_t b,
                     float* tile) {
  for (std::int64_t part = 0; part < parts; ++part) {
    const float* from = in[part] + b * width;
    float* to = tile + part * width;
    forChunks(width, [=]<class Number, int N>(std::int64_t d) {
      for (int i = 0; i < N; ++i)
        store(to + d + i * kWidth<Number>, load<Number>(from + d + i * kWidth<Number>));
    });
  }
}

/// Lane k: Σ over the lanes of x[k].
inline Eight sumsOf(const Floats (&sums)[kPartners]) {
  Eight x[kPartners];
  for (int k = 0; k < kPartners; ++k) x[k] = foldedToEight(sums[k]);
  const __m256 low = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
  const __m256 high = _mm256_hadd_ps(_mm256_hadd_ps(x[4], x[5]), _mm256_hadd_ps(x[6], x[7]));
  return _mm256_permute2f128_ps(low, high, 0x20) + _mm256_permute2f128_ps(low, high, 0x31);
}

/// out[k] = left·right[k, :], k = 0 … K − 1.
template <int K, class Width>
inline void dotPartners(Width width, const float* left, const float* right, float* out) {
  Floats sums[kPartners] = {};
  std::int64_t d = 0;
  for (; d + kLanes <= width; d += kLanes) {
    const Floats x = load<Floats>(left + d);
    for (int k = 0; k < K; ++k) sums[k] += x * load<Floats>(right + k * width + d);
  }
  Eight totals = sumsOf(sums);
  if constexpr (std::is_integral_v<Width>)  // the usual widths have no rest
    for (; d < width; ++d)
      for (int k = 0; k < K; ++k) totals[k] += left[d] * right[k * width + d];
  for (int k = 0; k < K; ++k) out[k] = totals[k];
}

/// out[j] = left·right[j, :], j = 0 … count − 1.
template <class Width>
inline void dotAll(Width width, const float* left, const float* right, std::int64_t count,
                   float* out) {
  std::int64_t j = 0;
  const auto dot = [&]<int K>() {
    dotPartners<K>(width, left, right + j * width, out + j);
    j += K;
  };
  while (count - j >= kPartners) dot.template operator()<kPartners>();
  if (count - j >= 4) dot.template operator()<4>();
  if (count - j >= 2) dot.template operator()<2>();
  if (count - j >= 1) dot.template operator()<1>();
}

/// gradient (+)= Σ_j dout[i·j]·tile[j, :], in the order of j, twice for j = i.
template <class Width>
inline void addPartners(Width width, const PairsOfParts& pairs, std::int64_t i, const float* tile,
                        const float* dout, bool accumulate, float* gradient) {
  forChunks(width, [=]<class Number, int N>(std::int64_t d) {
    Number sum[N] = {};
    if (accumulate)
      for (int n = 0; n < N; ++n) sum[n] = load<Number>(gradient + d + n * kWidth<Number>);
    const auto add = [&](std::int64_t j, float factor) {
      const float* from = tile + j * width + d;
      for (int n = 0; n < N; ++n) sum[n] += factor * load<Number>(from + n * kWidth<Number>);
    };
    for (std::int64_t j = 0; j < i; ++j) add(j, dout[pairs.at(i, j)]);
    if (pairs.self) add(i, 2.0f * dout[pairs.at(i, i)]);
    for (std::int64_t j = i + 1; j < pairs.parts; ++j) add(j, dout[pairs.at(i, j)]);
    for (int n = 0; n < N; ++n) store(gradient + d + n * kWidth<Number>, sum[n]);
  });
}

}  // namespace

std::int32_t dotInteraction(const PpCall* call, const PpDotInteraction* args) {
  const PpDotInteraction a = *args;
  if (a.parts * a.width > kTile) return parapet_portable_cpu()->ops->dotInteraction(call, args);
  const PairsOfParts pairs{a.parts, a.self != 0};
  forBlocks(call, a.rows, rowGrain(a.width * a.parts), [=](std::int64_t begin, std::int64_t end) {
    alignas(64) float tile[kTile];
    withWidth(a.width, [=, &tile](auto width) {
      for (std::int64_t b = begin; b < end; ++b) {
        copyRows(width, a.in, pairs.parts, b, tile);
        float* out = a.out + b * pairs.count();
        for (std::int64_t i = 0; i < pairs.parts; ++i)
          dotAll(width, tile + i * width, tile, pairs.rowLength(i), out + pairs.firstOf(i));
      }
    });
  });
  return PP_OK;
}

std::int32_t dotInteractionGradient(const PpCall* call, const PpDotInteractionGradient* args) {
  const PpDotInteractionGradient a = *args;
  if (a.parts * a.width > kTile)
    return parapet_portable_cpu()->ops->dotInteractionGradient(call, args);
  const PairsOfParts pairs{a.parts, a.self != 0};
  forBlocks(call, a.rows, rowGrain(a.width * a.parts), [=](std::int64_t begin, std::int64_t end) {
    alignas(64) float tile[kTile];
    withWidth(a.width, [=, &tile](auto width) {
      for (std::int64_t b = begin; b < end; ++b) {
        copyRows(width, a.in, pairs.parts, b, tile);
        for (std::int64_t i = 0; i < pairs.parts; ++i)
          if (a.dIn[i])
            addPartners(width, pairs, i, tile, a.dout + b * pairs.count(), a.accumulate[i] != 0,
                        a.dIn[i] + b * width);
      }
    });
  });
  return PP_OK;
}

}  // namespace parapet::plugin

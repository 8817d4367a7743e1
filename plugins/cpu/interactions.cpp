// SPDX-License-Identifier: Apache-2.0
// Dot products of all pairs of parts: eight partners of a part at a time, so that the part is read
// once for them and no sum waits for another.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {
namespace {

using tensor::PairsOfParts;
constexpr std::int64_t kPartners = kLanes;

/// Asks for the next row of all parts: more streams than a processor follows by itself.
inline void prefetchParts(const float* const* in, std::int64_t parts, std::int64_t at,
                          std::int64_t width) {
  for (std::int64_t part = 0; part < parts; ++part) prefetchRow(in[part] + at, width);
}

/// Lane k: Σ over the lanes of x[k].
Floats sumsOf(const Floats (&x)[kPartners]) {
  const __m256 low = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
  const __m256 high = _mm256_hadd_ps(_mm256_hadd_ps(x[4], x[5]), _mm256_hadd_ps(x[6], x[7]));
  return _mm256_permute2f128_ps(low, high, 0x20) + _mm256_permute2f128_ps(low, high, 0x31);
}

/// out[k] = left·in[k], k = 0 … K − 1, of the rows that begin at number `at` of each part.
template <int K, class Width>
inline void dotPartners(Width width, const float* left, const float* const* in, std::int64_t at,
                        float* out) {
  Floats sums[kPartners] = {};
  std::int64_t d = 0;
  for (; d + kLanes <= width; d += kLanes) {
    const Floats x = load<Floats>(left + at + d);
    for (int k = 0; k < K; ++k) sums[k] += x * load<Floats>(in[k] + at + d);
  }
  Floats totals = sumsOf(sums);
  if constexpr (std::is_integral_v<Width>)  // the usual widths have no rest
    for (; d < width; ++d)
      for (int k = 0; k < K; ++k) totals[k] += left[at + d] * in[k][at + d];
  for (int k = 0; k < K; ++k) out[k] = totals[k];
}

}  // namespace

std::int32_t dotInteraction(const PpCall* call, const PpDotInteraction* args) {
  const PpDotInteraction a = *args;
  const PairsOfParts pairs{a.parts, a.self != 0};
  const std::int64_t grain = rowGrain(a.width * a.parts);
  forBlocks(call, a.rows, grain, [=](std::int64_t begin, std::int64_t end) {
    withWidth(a.width, [=](auto width) {
      for (std::int64_t b = begin; b < end; ++b) {
        if (b + 1 < end) prefetchParts(a.in, pairs.parts, (b + 1) * width, width);
        for (std::int64_t i = 0; i < pairs.parts; ++i) {
          const std::int64_t length = pairs.rowLength(i);
          float* out = a.out + b * pairs.count() + pairs.firstOf(i);
          std::int64_t j = 0;
          const auto dot = [&]<int K>() {
            dotPartners<K>(width, a.in[i], a.in + j, b * width, out + j);
            j += K;
          };
          while (length - j >= kPartners) dot.template operator()<kPartners>();
          if (length - j >= 4) dot.template operator()<4>();
          if (length - j >= 2) dot.template operator()<2>();
          if (length - j >= 1) dot.template operator()<1>();
        }
      }
    });
  });
  return PP_OK;
}

std::int32_t dotInteractionGradient(const PpCall* call, const PpDotInteractionGradient* args) {
  const PpDotInteractionGradient a = *args;
  const PairsOfParts pairs{a.parts, a.self != 0};
  const std::int64_t grain = rowGrain(a.width * a.parts);
  forBlocks(call, a.rows, grain, [=](std::int64_t begin, std::int64_t end) {
    withWidth(a.width, [=](auto width) {
      for (std::int64_t b = begin; b < end; ++b) {
        if (b + 1 < end) prefetchParts(a.in, pairs.parts, (b + 1) * width, width);
        for (std::int64_t i = 0; i < pairs.parts; ++i) {
          if (!a.dIn[i]) continue;
          const float* dout = a.dout + b * pairs.count();
          float* gradient = a.dIn[i] + b * width;
          forChunks(width, [=]<class Number, int N>(std::int64_t d) {
            Number sum[N] = {};
            const auto add = [&](std::int64_t j, float factor) {
              const float* from = a.in[j] + b * width + d;
              for (int n = 0; n < N; ++n)
                sum[n] += factor * load<Number>(from + n * kWidth<Number>);
            };
            if (a.accumulate[i])
              for (int n = 0; n < N; ++n) sum[n] = load<Number>(gradient + d + n * kWidth<Number>);
            for (std::int64_t j = 0; j < i; ++j) add(j, dout[pairs.at(i, j)]);
            if (pairs.self) add(i, 2.0f * dout[pairs.at(i, i)]);
            for (std::int64_t j = i + 1; j < pairs.parts; ++j) add(j, dout[pairs.at(i, j)]);
            for (int n = 0; n < N; ++n) store(gradient + d + n * kWidth<Number>, sum[n]);
          });
        }
      }
    });
  });
  return PP_OK;
}

}  // namespace parapet::plugin

// SPDX-License-Identifier: Apache-2.0
// What is done to a gradient before the optimizer gets it: its norm, and clipping.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor::cpu {
namespace {

constexpr std::int64_t kElementGrain = 64 * 1024;

// In eight sums of their own, so that the additions do not wait for each other.
double squaresOf(const float* in, std::int64_t count) {
  constexpr std::int64_t kSums = 8;
  double sums[kSums] = {};
  std::int64_t i = 0;
  for (; i + kSums <= count; i += kSums)
    for (std::int64_t lane = 0; lane < kSums; ++lane) {
      const auto x = static_cast<double>(in[i + lane]);
      sums[lane] += x * x;
    }
  for (; i < count; ++i) sums[0] += static_cast<double>(in[i]) * static_cast<double>(in[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

// At most kBlocks parts, whose sums lie here and are added in their order.
std::int32_t sumSquares(const PpCall* call, const PpSumSquares* args) {
  constexpr std::int64_t kBlocks = 64;
  double parts[kBlocks] = {};
  const std::int64_t grain = std::max(kElementGrain, (args->count + kBlocks - 1) / kBlocks);
  forBlocks(call, args->count, grain, [&](std::int64_t begin, std::int64_t end) {
    parts[begin / grain] = squaresOf(args->in + begin, end - begin);
  });
  *args->sum += std::accumulate(std::begin(parts), std::end(parts), 0.0);
  return PP_OK;
}

// Written so that a NaN fails both comparisons and stays.
std::int32_t scaleClamp(const PpCall* call, const PpScaleClamp* args) {
  const float limit = args->limit;
  float factor = args->factor;
  if (args->squares) {
    const double norm = std::sqrt(*args->squares);
    if (!(norm > args->maxNorm)) return PP_OK;
    factor = static_cast<float>(args->maxNorm / norm);
  }
  float* const values = args->values;
  forBlocks(call, args->count, kElementGrain, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float x = values[i] * factor;
      values[i] = x > limit ? limit : x < -limit ? -limit : x;
    }
  });
  return PP_OK;
}

std::int32_t innerProduct(const PpCall* call, const PpInnerProduct* args) {
  const double sum =
      sumBlocks(call, args->count, kElementGrain, [&](std::int64_t i, std::int64_t end) {
        double part = 0.0;
        for (; i < end; ++i)
          part += static_cast<double>(args->a[i]) * static_cast<double>(args->b[i]);
        return part;
      });
  *args->out += static_cast<float>(static_cast<double>(args->factor) * sum);
  return PP_OK;
}

}  // namespace parapet::tensor::cpu

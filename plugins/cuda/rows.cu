// SPDX-License-Identifier: Apache-2.0
// Kernels that move whole rows: fill, gather, bags, copies, sums of parts, dot products of rows.
#include "plugins/cuda/ops.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

/// Pointers that a kernel gets by value.
constexpr std::int32_t kParts = 64;
struct Parts {
  const float* in[kParts];
};

PP_DEVICE double bagDivisor(std::int32_t combiner, const float* weights, std::int64_t begin,
                            std::int64_t end) {
  if (combiner == PP_SUM) return 1.0;
  double sum = 0.0;
  for (std::int64_t n = begin; n < end; ++n) {
    const double weight = weights ? static_cast<double>(weights[n]) : 1.0;
    sum += combiner == PP_MEAN ? weight : weight * weight;
  }
  return combiner == PP_MEAN ? sum : std::sqrt(sum);
}

}  // namespace

std::int32_t fill(const PpCall* call, const PpFill* args) {
  const PpFill a = *args;
  forElements(call, a.count, [a] PP_DEVICE(std::int64_t i) { a.out[i] = a.value; });
  return done(call);
}

std::int32_t gatherRows(const PpCall* call, const PpGatherRows* args) {
  const PpGatherRows a = *args;
  forRows(call, a.count, a.width, [a] PP_DEVICE(std::int64_t n, std::int64_t d) {
    a.out[n * a.width + d] = a.table[a.rows[n] * a.width + d];
  });
  return done(call);
}

std::int32_t replaceRows(const PpCall* call, const PpReplaceRows* args) {
  const PpReplaceRows a = *args;
  forRows(call, a.count, a.width, [a] PP_DEVICE(std::int64_t n, std::int64_t d) {
    a.out[a.rows[n] * a.width + d] = a.in[n * a.width + d];
  });
  return done(call);
}

std::int32_t bagRows(const PpCall* call, const PpBagRows* args) {
  const PpBagRows a = *args;
  forRows(call, a.bags, a.width, [a] PP_DEVICE(std::int64_t b, std::int64_t d) {
    const std::int64_t begin = a.offsets ? a.offsets[b] - a.offsets[0] : b;
    const std::int64_t end = a.offsets ? a.offsets[b + 1] - a.offsets[0] : b + 1;
    float sum = 0.0f;
    for (std::int64_t n = begin; n < end; ++n)
      sum += (a.scales ? a.scales[n] : 1.0f) * a.table[a.rows[n] * a.width + d];
    a.out[b * a.width + d] = sum;
  });
  return done(call);
}

std::int32_t bagScales(const PpCall* call, const PpBagScales* args) {
  const PpBagScales a = *args;
  forElements(call, a.bags, [a] PP_DEVICE(std::int64_t b) {
    const std::int64_t begin = a.offsets[b] - a.offsets[0], end = a.offsets[b + 1] - a.offsets[0];
    const double divisor = bagDivisor(a.combiner, a.weights, begin, end);
    for (std::int64_t n = begin; n < end; ++n) {
      const double weight = a.weights ? static_cast<double>(a.weights[n]) : 1.0;
      a.scales[n] = divisor == 0.0 ? 0.0f : static_cast<float>(weight / divisor);
    }
  });
  return done(call);
}

std::int32_t copyColumns(const PpCall* call, const PpCopyColumns* args) {
  const PpCopyColumns a = *args;
  forRows(call, a.rows, a.width, [a] PP_DEVICE(std::int64_t b, std::int64_t d) {
    const float x = a.in[b * a.strideIn + d];
    float& out = a.out[b * a.strideOut + d];
    out = a.accumulate ? out + x : x;
  });
  return done(call);
}

// Some parts at a time; the sum of those before is then the first of the next.
std::int32_t sumParts(const PpCall* call, const PpSumParts* args) {
  float* const out = args->out;
  for (std::int32_t first = 0; first < args->parts;) {
    Parts parts{};
    std::int32_t count = 0;
    if (first > 0) parts.in[count++] = out;
    while (count < kParts && first < args->parts) parts.in[count++] = args->in[first++];
    forElements(call, args->count, [parts, count, out] PP_DEVICE(std::int64_t i) {
      float sum = parts.in[0][i];
      for (std::int32_t p = 1; p < count; ++p) sum += parts.in[p][i];
      out[i] = sum;
    });
  }
  return done(call);
}

std::int32_t dotRows(const PpCall* call, const PpDotRows* args) {
  const PpDotRows a = *args;
  forWarps(call, a.rows, [a] PP_DEVICE(std::int64_t b) {
    const float* const x = a.x + (a.xRows ? a.xRows[b] : b) * a.width;
    const float* const y = a.y + (a.yRows ? a.yRows[b] : b) * a.width;
    float sum = 0.0f;
    for (std::int64_t d = lane(); d < a.width; d += kWarp) {
      sum += x[d] * y[d];
      if (a.copyX) a.copyX[b * a.width + d] = x[d];
    }
    sum = sumOverWarp(sum);
    if (lane() == 0) a.out[b] = sum;
  });
  return done(call);
}

std::int32_t dotRowsGradient(const PpCall* call, const PpDotRowsGradient* args) {
  const PpDotRowsGradient a = *args;
  forRows(call, a.rows, a.width, [a] PP_DEVICE(std::int64_t b, std::int64_t d) {
    const std::int64_t at = b * a.width + d;
    const float x = a.x[at], y = a.y[at], dout = a.dout[b];
    if (a.dx) a.dx[at] = (a.accumulateX ? a.dx[at] : 0.0f) + dout * y;
    if (a.dy) a.dy[at] = (a.accumulateY ? a.dy[at] : 0.0f) + dout * x;
  });
  return done(call);
}

}  // namespace parapet::cuda

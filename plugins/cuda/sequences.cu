// SPDX-License-Identifier: Apache-2.0
// Layers over ragged sequences other than attention.
#include "plugins/cuda/sequences.h"

#include "plugins/cuda/ops.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {

std::int32_t addPositions(const PpCall* call, const PpAddPositions* args) {
  const PpAddPositions a = *args;
  forRows(call, a.positions, a.width, [a] PP_DEVICE(std::int64_t p, std::int64_t d) {
    const auto sequence = sequenceOf(a.offsets, a.sequences, p);
    const std::int64_t skipped = a.fromEnd ? a.tableRows - (sequence.end - sequence.begin) : 0;
    const std::int64_t i = skipped + p - sequence.begin;
    a.y[p * a.width + d] = a.x[p * a.width + d] + a.table[i * a.width + d];
  });
  return done(call);
}

std::int32_t addPositionsGradient(const PpCall* call, const PpAddPositionsGradient* args) {
  const PpAddPositionsGradient a = *args;
  forRows(call, a.tableRows, a.width, [a] PP_DEVICE(std::int64_t i, std::int64_t d) {
    float sum = 0.0f;
    for (std::int64_t b = 0; b < a.sequences; ++b) {
      const std::int64_t length = a.offsets[b + 1] - a.offsets[b];
      const std::int64_t at = a.fromEnd ? i - (a.tableRows - length) : i;
      if (at >= 0 && at < length) sum += a.dy[(a.offsets[b] - a.offsets[0] + at) * a.width + d];
    }
    a.dtable[i * a.width + d] = sum;
  });
  return done(call);
}

std::int32_t pool(const PpCall* call, const PpPool* args) {
  const PpPool a = *args;
  forRows(call, a.sequences, a.width, [a] PP_DEVICE(std::int64_t b, std::int64_t d) {
    std::int64_t begin = a.offsets[b] - a.offsets[0];
    const std::int64_t end = a.offsets[b + 1] - a.offsets[0];
    const auto length = static_cast<float>(end - begin);
    if (a.kind == PP_POOL_LAST && begin < end) begin = end - 1;
    float sum = 0.0f;
    for (std::int64_t n = begin; n < end; ++n)
      sum += (a.kind == PP_POOL_WEIGHTED ? a.weights[n] : 1.0f) * a.x[n * a.width + d];
    a.out[b * a.width + d] = a.kind == PP_POOL_MEAN && begin < end ? sum / length : sum;
  });
  return done(call);
}

std::int32_t poolGradient(const PpCall* call, const PpPoolGradient* args) {
  const PpPoolGradient a = *args;
  if (a.dweights)
    forWarps(call, a.positions, [a] PP_DEVICE(std::int64_t p) {
      const std::int64_t b = sequenceOf(a.offsets, a.sequences, p).sequence;
      float sum = 0.0f;
      for (std::int64_t d = lane(); d < a.width; d += kWarp)
        sum += a.x[p * a.width + d] * a.dout[b * a.width + d];
      sum = sumOverWarp(sum);
      if (lane() == 0) a.dweights[p] = sum;
    });
  if (!a.dx) return done(call);
  forRows(call, a.positions, a.width, [a] PP_DEVICE(std::int64_t p, std::int64_t d) {
    const SequenceOf in = sequenceOf(a.offsets, a.sequences, p);
    float factor = 1.0f;
    if (a.kind == PP_POOL_MEAN) factor = 1.0f / static_cast<float>(in.end - in.begin);
    if (a.kind == PP_POOL_LAST) factor = p + 1 == in.end ? 1.0f : 0.0f;
    if (a.kind == PP_POOL_WEIGHTED) factor = a.weights[p];
    float& dx = a.dx[p * a.width + d];
    dx = (a.accumulate ? dx : 0.0f) + factor * a.dout[in.sequence * a.width + d];
  });
  return done(call);
}

std::int32_t softmaxBySequence(const PpCall* call, const PpSoftmaxBySequence* args) {
  const PpSoftmaxBySequence a = *args;
  forWarps(call, a.sequences, [a] PP_DEVICE(std::int64_t b) {
    const std::int64_t begin = a.offsets[b] - a.offsets[0], end = a.offsets[b + 1] - a.offsets[0];
    float greatest = -kInfinity, sum = 0.0f;
    for (std::int64_t n = begin + lane(); n < end; n += kWarp)
      greatest = a.x[n] > greatest ? a.x[n] : greatest;
    greatest = maxOverWarp(greatest);
    for (std::int64_t n = begin + lane(); n < end; n += kWarp) {
      const float power = std::exp(a.x[n] - greatest);
      a.y[n] = power;
      sum += power;
    }
    sum = sumOverWarp(sum);
    for (std::int64_t n = begin + lane(); n < end; n += kWarp) a.y[n] /= sum;
  });
  return done(call);
}

std::int32_t softmaxBySequenceGradient(const PpCall* call,
                                       const PpSoftmaxBySequenceGradient* args) {
  const PpSoftmaxBySequenceGradient a = *args;
  forWarps(call, a.sequences, [a] PP_DEVICE(std::int64_t b) {
    const std::int64_t begin = a.offsets[b] - a.offsets[0], end = a.offsets[b + 1] - a.offsets[0];
    float sum = 0.0f;
    for (std::int64_t n = begin + lane(); n < end; n += kWarp) sum += a.y[n] * a.dy[n];
    sum = sumOverWarp(sum);
    for (std::int64_t n = begin + lane(); n < end; n += kWarp) a.dx[n] = a.y[n] * (a.dy[n] - sum);
  });
  return done(call);
}

}  // namespace parapet::cuda

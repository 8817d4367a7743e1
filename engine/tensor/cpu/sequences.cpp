// SPDX-License-Identifier: Apache-2.0
// Layers over ragged sequences other than attention.
#include <algorithm>
#include <cmath>

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/eigen.h"
#include "engine/tensor/cpu/lines.h"

namespace parapet::tensor::cpu {
namespace {

/// Sequences per block so that a block is worth waking a worker for.
std::int64_t sequenceGrain(std::int64_t sequences, std::int64_t positions, std::int64_t width) {
  const std::int64_t grain = rowGrain(width);
  return positions <= sequences ? grain : 1 + grain * sequences / positions;
}

/// c[p] of PpPool for the position n of a sequence.
template <class Args>
float coefficient(const Args& args, const BagValues& values, std::int64_t n) {
  switch (args.kind) {
    case PP_POOL_MEAN:
      return 1.0f / static_cast<float>(values.end - values.begin);
    case PP_POOL_LAST:
      return n + 1 == values.end ? 1.0f : 0.0f;
    case PP_POOL_WEIGHTED:
      return args.weights[n];
    default:
      return 1.0f;
  }
}

/// Calls body(values) for each sequence that is not empty.
template <class Args, class Body>
void forSequences(const PpCall* call, const Args& args, std::int64_t width, const Body& body) {
  const std::int64_t grain = sequenceGrain(args.sequences, args.positions, width);
  forBlocks(call, args.sequences, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const BagValues values(args.offsets, b);
      if (values.begin < values.end) body(b, values);
    }
  });
}

}  // namespace

std::int32_t addPositions(const PpCall* call, const PpAddPositions* args) {
  const std::int64_t width = args->width;
  forSequences(call, *args, width, [&](std::int64_t, const BagValues& values) {
    const std::int64_t count = (values.end - values.begin) * width, first = values.begin * width;
    const std::int64_t skipped = args->fromEnd ? args->tableRows * width - count : 0;
    Row(args->y + first, count) =
        ConstRow(args->x + first, count) + ConstRow(args->table + skipped, count);
  });
  return PP_OK;
}

// Rows of the table are cut over workers, so that each sum has one worker and one order.
std::int32_t addPositionsGradient(const PpCall* call, const PpAddPositionsGradient* args) {
  const std::int64_t width = args->width;
  const std::int64_t grain = sequenceGrain(args->tableRows, args->positions, width);
  forBlocks(call, args->tableRows, grain, [&](std::int64_t begin, std::int64_t end) {
    Row(args->dtable + begin * width, (end - begin) * width).setZero();
    for (std::int64_t b = 0; b < args->sequences; ++b) {
      const BagValues values(args->offsets, b);
      const std::int64_t length = values.end - values.begin;
      const std::int64_t skipped = args->fromEnd ? args->tableRows - length : 0;
      const std::int64_t first = std::max(begin, skipped), last = std::min(end, skipped + length);
      if (last <= first) continue;
      const std::int64_t count = (last - first) * width;
      Row(args->dtable + first * width, count) +=
          ConstRow(args->dy + (values.begin + first - skipped) * width, count);
    }
  });
  return PP_OK;
}

std::int32_t pool(const PpCall* call, const PpPool* args) {
  const std::int64_t width = args->width;
  const std::int64_t grain = sequenceGrain(args->sequences, args->positions, width);
  forBlocks(call, args->sequences, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      BagValues values(args->offsets, b);
      Row out(args->out + b * width, width);
      out.setZero();
      if (args->kind == PP_POOL_LAST) values.begin = std::max(values.begin, values.end - 1);
      for (std::int64_t n = values.begin; n < values.end; ++n) {
        const ConstRow x(args->x + n * width, width);
        if (args->kind == PP_POOL_WEIGHTED)
          out += args->weights[n] * x;
        else
          out += x;
      }
      if (args->kind == PP_POOL_MEAN && values.begin < values.end)
        out /= static_cast<float>(values.end - values.begin);
    }
  });
  return PP_OK;
}

std::int32_t poolGradient(const PpCall* call, const PpPoolGradient* args) {
  const std::int64_t width = args->width;
  forSequences(call, *args, width, [&](std::int64_t b, const BagValues& values) {
    const ConstRow dout(args->dout + b * width, width);
    for (std::int64_t n = values.begin; n < values.end; ++n) {
      if (args->dweights) args->dweights[n] = (ConstRow(args->x + n * width, width) * dout).sum();
      if (!args->dx) continue;
      Row dx(args->dx + n * width, width);
      const float factor = coefficient(*args, values, n);
      if (args->accumulate)
        dx += factor * dout;
      else
        dx = factor * dout;
    }
  });
  return PP_OK;
}

std::int32_t softmaxBySequence(const PpCall* call, const PpSoftmaxBySequence* args) {
  forSequences(call, *args, 1, [&](std::int64_t, const BagValues& values) {
    const std::int64_t count = values.end - values.begin;
    Row y(args->y + values.begin, count);
    y = ConstRow(args->x + values.begin, count);
    const float greatest = y.maxCoeff();
    const float total = Lines{}.powers(y.data(), count, 1.0f, greatest);
    y /= total;
  });
  return PP_OK;
}

std::int32_t softmaxBySequenceGradient(const PpCall* call,
                                       const PpSoftmaxBySequenceGradient* args) {
  forSequences(call, *args, 1, [&](std::int64_t, const BagValues& values) {
    const std::int64_t count = values.end - values.begin;
    const ConstRow y(args->y + values.begin, count), dy(args->dy + values.begin, count);
    Row dx(args->dx + values.begin, count);
    const float sum = (y * dy).sum();
    dx = y * (dy - sum);
  });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu

// SPDX-License-Identifier: Apache-2.0
// Layers without sums over the batch: feature crosses, dot interactions, dropout, signed
// logarithms.
#include <algorithm>
#include <cmath>

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/eigen.h"

namespace parapet::tensor::cpu {
namespace {

// Position of a number among ascending ones: see PpQuantile.
float positionAmong(const float* first, const float* last, float x) {
  const auto [low, high] = std::equal_range(first, last, x);
  if (low != high) return 0.5f * static_cast<float>((low - first) + (high - first - 1));
  if (low == last) return static_cast<float>(last - first - 1);
  if (low == first) return 0.0f;
  return static_cast<float>(low - first - 1) + (x - low[-1]) / (*low - low[-1]);
}

}  // namespace

std::int32_t cross(const PpCall* call, const PpCross* args) {
  const float diagScale = args->diagScale;
  forBlocks(call, args->rows * args->width, rowGrain(1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      args->y[i] = args->x0[i] * (args->u[i] + diagScale * args->x[i]) + args->x[i];
  });
  return PP_OK;
}

std::int32_t crossGradient(const PpCall* call, const PpCrossGradient* args) {
  const PpCrossGradient a = *args;
  const bool together = a.dx0 && a.dx0 == a.dx;
  const auto put = [](float& to, std::int32_t accumulate, float value) {
    to = accumulate ? to + value : value;
  };
  forBlocks(call, a.rows * a.width, rowGrain(1), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float dy = a.dy[i], x0 = a.x0[i];
      const float towardsX0 = a.u[i] + a.diagScale * a.x[i];
      const float towardsX = 1.0f + a.diagScale * x0;
      if (a.du) a.du[i] = dy * x0;
      if (together) {
        put(a.dx[i], a.accumulateX, dy * (towardsX0 + towardsX));
        continue;
      }
      if (a.dx0) put(a.dx0[i], a.accumulateX0, dy * towardsX0);
      if (a.dx) put(a.dx[i], a.accumulateX, dy * towardsX);
    }
  });
  return PP_OK;
}

std::int32_t dotInteraction(const PpCall* call, const PpDotInteraction* args) {
  const std::int64_t width = args->width;
  const PairsOfParts pairs{args->parts, args->self != 0};
  const std::int64_t grain = rowGrain(width * args->parts);
  forBlocks(call, args->rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      float* out = args->out + b * pairs.count();
      for (std::int64_t i = 0; i < pairs.parts; ++i) {
        const ConstRow left(args->in[i] + b * width, width);
        for (std::int64_t j = 0; j < pairs.rowLength(i); ++j)
          *out++ = (left * ConstRow(args->in[j] + b * width, width)).sum();
      }
    }
  });
  return PP_OK;
}

std::int32_t dotInteractionGradient(const PpCall* call, const PpDotInteractionGradient* args) {
  const std::int64_t width = args->width;
  const PairsOfParts pairs{args->parts, args->self != 0};
  const std::int64_t grain = rowGrain(width * args->parts);
  forBlocks(call, args->rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const float* dout = args->dout + b * pairs.count();
      for (std::int64_t i = 0; i < pairs.parts; ++i) {
        if (!args->dIn[i]) continue;
        Row gradient(args->dIn[i] + b * width, width);
        if (!args->accumulate[i]) gradient.setZero();
        for (std::int64_t j = 0; j < pairs.parts; ++j) {
          if (i == j && !pairs.self) continue;
          const float factor = dout[pairs.at(i, j)] * (i == j ? 2.0f : 1.0f);
          gradient += factor * ConstRow(args->in[j] + b * width, width);
        }
      }
    }
  });
  return PP_OK;
}

std::int32_t dropout(const PpCall* call, const PpDropout* args) {
  const PpDropout a = current(*args);
  forBlocks(call, a.count, rowGrain(1), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const bool dropped = draw(a.key, a.first + static_cast<std::uint64_t>(i)) < a.dropBelow;
      a.y[i] = dropped ? 0.0f : a.x[i] * a.scale;
    }
  });
  return PP_OK;
}

std::int32_t signedLog(const PpCall* call, const PpSignedLog* args) {
  forBlocks(call, args->count, rowGrain(1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      args->y[i] = std::copysign(std::log1p(std::abs(args->x[i])), args->x[i]);
  });
  return PP_OK;
}

std::int32_t quantile(const PpCall* call, const PpQuantile* args) {
  const auto intervals = static_cast<float>(args->knots - 1);
  forBlocks(call, args->count, rowGrain(64), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      args->y[i] = positionAmong(args->values, args->values + args->knots, args->x[i]) / intervals;
  });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu

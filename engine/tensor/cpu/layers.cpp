// SPDX-License-Identifier: Apache-2.0
// Layers without sums over the batch: feature crosses, dot interactions, products, mixtures,
// dropout, signed logarithms.
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

void put(float& to, bool accumulate, float value) {
  to = accumulate ? to + value : value;
}

/// p [parts] = the softmax of logits.
void softmaxOf(const float* logits, std::int64_t parts, float* p) {
  const float greatest = *std::max_element(logits, logits + parts);
  float sum = 0.0f;
  for (std::int64_t i = 0; i < parts; ++i) sum += p[i] = std::exp(logits[i] - greatest);
  for (std::int64_t i = 0; i < parts; ++i) p[i] /= sum;
}

// Weights of the parts of a row are on the stack; check() refuses more of them.
constexpr std::int64_t kMaxMixed = 512;

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

std::int32_t multiply(const PpCall* call, const PpMultiply* args) {
  forBlocks(call, args->rows * args->width, rowGrain(1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) args->z[i] = args->x[i] * args->y[i];
  });
  return PP_OK;
}

std::int32_t multiplyGradient(const PpCall* call, const PpMultiplyGradient* args) {
  const PpMultiplyGradient a = *args;
  forBlocks(call, a.rows * a.width, rowGrain(1), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (a.dx) put(a.dx[i], a.accumulateX, a.dz[i] * a.y[i]);
      if (a.dy) put(a.dy[i], a.accumulateY, a.dz[i] * a.x[i]);
    }
  });
  return PP_OK;
}

std::int32_t mixture(const PpCall* call, const PpMixture* args) {
  const std::int64_t width = args->width, parts = args->parts;
  forBlocks(call, args->rows, rowGrain(width * parts), [&](std::int64_t begin, std::int64_t end) {
    float p[kMaxMixed];
    for (std::int64_t b = begin; b < end; ++b) {
      softmaxOf(args->logits + b * parts, parts, p);
      Row out(args->out + b * width, width);
      out.setZero();
      for (std::int64_t i = 0; i < parts; ++i)
        out += p[i] * ConstRow(args->in[i] + b * width, width);
    }
  });
  return PP_OK;
}

std::int32_t mixtureGradient(const PpCall* call, const PpMixtureGradient* args) {
  const std::int64_t width = args->width, parts = args->parts;
  forBlocks(call, args->rows, rowGrain(width * parts), [&](std::int64_t begin, std::int64_t end) {
    float p[kMaxMixed], g[kMaxMixed];
    for (std::int64_t b = begin; b < end; ++b) {
      softmaxOf(args->logits + b * parts, parts, p);
      const ConstRow dout(args->dout + b * width, width);
      float mean = 0.0f;
      for (std::int64_t i = 0; args->dLogits && i < parts; ++i)
        mean += p[i] * (g[i] = (dout * ConstRow(args->in[i] + b * width, width)).sum());
      for (std::int64_t i = 0; i < parts; ++i) {
        if (args->dLogits) args->dLogits[b * parts + i] = p[i] * (g[i] - mean);
        if (!args->dIn[i]) continue;
        Row gradient(args->dIn[i] + b * width, width);
        if (!args->accumulate[i]) gradient.setZero();
        gradient += p[i] * dout;
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

// SPDX-License-Identifier: Apache-2.0
// Dense algebra: matrix products through Eigen, activations, row-wise dot products, squared error,
// scores against a catalogue.
#include <algorithm>
#include <cmath>

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/eigen.h"

namespace parapet::tensor::cpu {
namespace {

template <class Left, class Right>
void multiplyInto(const Left& left, const Right& right, float beta, Map& out) {
  if (beta == 0.0f)
    out.noalias() = left * right;
  else if (beta == 1.0f)
    out.noalias() += left * right;
  else
    out = beta * out + left * right;
}

constexpr float kInvSqrt2 = 0.70710678118654752f;
constexpr float kSqrt2OverPi = 0.79788456080286536f, kCubic = 0.044715f;

float activate(std::int32_t activation, float x) {
  switch (activation) {
    case PP_RELU:
      return x < 0.0f ? 0.0f : x;  // NaN stays
    case PP_TANH:
      return std::tanh(x);
    case PP_SIGMOID:
      return 1.0f / (1.0f + std::exp(-x));
    case PP_GELU:
      return 0.5f * x * (1.0f + std::erf(x * kInvSqrt2));
    case PP_GELU_TANH:
      return 0.5f * x * (1.0f + std::tanh(kSqrt2OverPi * (x + kCubic * x * x * x)));
    case PP_SILU:
      return x / (1.0f + std::exp(-x));
    default:
      return x;
  }
}

// act′ from the input z = x + bias where ppSlopesByInput, else from the output y.
float slope(std::int32_t activation, float y, float z) {
  switch (activation) {
    case PP_RELU:
      return y > 0.0f ? 1.0f : 0.0f;
    case PP_TANH:
      return 1.0f - y * y;
    case PP_SIGMOID:
      return y * (1.0f - y);
    case PP_GELU: {
      const float density = std::exp(-0.5f * z * z) * 0.39894228040143268f;
      return 0.5f * (1.0f + std::erf(z * kInvSqrt2)) + z * density;
    }
    case PP_GELU_TANH: {
      const float t = std::tanh(kSqrt2OverPi * (z + kCubic * z * z * z));
      return 0.5f * (1.0f + t) +
             0.5f * z * (1.0f - t * t) * kSqrt2OverPi * (1.0f + 3.0f * kCubic * z * z);
    }
    case PP_SILU: {
      const float open = 1.0f / (1.0f + std::exp(-z));
      return open * (1.0f + z * (1.0f - open));
    }
    default:
      return 1.0f;
  }
}

/// y [width] = act(x + bias).
void activateRow(std::int32_t activation, std::int64_t width, const float* x, const float* bias,
                 float* y) {
  for (std::int64_t d = 0; d < width; ++d)
    y[d] = activate(activation, x[d] + (bias ? bias[d] : 0.0f));
}

/// The sums of rows [begin, end) of c.
void multiplyRows(const PpMatmul& m, std::int64_t begin, std::int64_t end) {
  const std::int64_t rows = end - begin;
  Map c(m.c + begin * m.strideC, rows, m.n, Stride(m.strideC));
  if (m.n == 0) return;
  if (m.k == 0) {
    // 0·c is no zero where c, never written, holds a NaN.
    if (m.beta == 0.0f)
      c.setZero();
    else
      c *= m.beta;
    return;
  }
  const auto multiply = [&](const auto& left) {
    if (m.transposeB) {
      const ConstMap b(m.b, m.n, m.k, Stride(m.strideB));
      multiplyInto(left, b.transpose(), m.beta, c);
    } else {
      const ConstMap b(m.b, m.k, m.n, Stride(m.strideB));
      multiplyInto(left, b, m.beta, c);
    }
  };
  if (m.transposeA)
    multiply(ConstMap(m.a + begin, m.k, rows, Stride(m.strideA)).transpose());
  else
    multiply(ConstMap(m.a + begin * m.strideA, rows, m.k, Stride(m.strideA)));
}

}  // namespace

void finishRows(const PpMatmul& args, std::int64_t begin, std::int64_t end) {
  if (!args.bias && args.activation == PP_LINEAR) return;
  for (std::int64_t i = begin; i < end; ++i) {
    float* const row = args.c + i * args.strideC;
    activateRow(args.activation, args.n, row, args.bias, row);
  }
}

// Rows of c in fixed blocks of 256, so that the cut depends on the shape alone.
std::int32_t matmul(const PpCall* call, const PpMatmul* args) {
  if (call->precision == PP_PRECISION_BF16) return roundedMatmul(call, args);
  if (call->precision == PP_PRECISION_TF32) return PP_UNSUPPORTED;
  fixCacheSizes();
  constexpr std::int64_t kRowBlock = 256;
  forBlocks(call, args->m, kRowBlock, [&](std::int64_t begin, std::int64_t end) {
    multiplyRows(*args, begin, end);
    finishRows(*args, begin, end);
  });
  return PP_OK;
}

std::int32_t biasActivation(const PpCall* call, const PpBiasActivation* args) {
  const std::int64_t width = args->width;
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      activateRow(args->activation, width, args->x + b * width, args->bias, args->y + b * width);
  });
  return PP_OK;
}

std::int32_t biasActivationGradient(const PpCall* call, const PpBiasActivationGradient* args) {
  const std::int64_t width = args->width;
  const bool fromInput = ppSlopesByInput(args->activation) != 0;
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      for (std::int64_t d = 0; d < width; ++d) {
        const std::int64_t i = b * width + d;
        const float z = fromInput ? args->x[i] + (args->bias ? args->bias[d] : 0.0f) : 0.0f;
        args->dx[i] = args->dy[i] * slope(args->activation, args->y[i], z);
      }
  });
  if (!args->dbias) return PP_OK;
  for (std::int64_t d = 0; d < width; ++d) args->dbias[d] = 0.0f;
  for (std::int64_t b = 0; b < args->rows; ++b)
    for (std::int64_t d = 0; d < width; ++d) args->dbias[d] += args->dx[b * width + d];
  return PP_OK;
}

std::int32_t dotRows(const PpCall* call, const PpDotRows* args) {
  const std::int64_t width = args->width;
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const ConstRow x(args->x + (args->xRows ? args->xRows[b] : b) * width, width);
      const ConstRow y(args->y + (args->yRows ? args->yRows[b] : b) * width, width);
      if (args->copyX) Row(args->copyX + b * width, width) = x;
      args->out[b] = (x * y).sum();
    }
  });
  return PP_OK;
}

std::int32_t dotRowsGradient(const PpCall* call, const PpDotRowsGradient* args) {
  const std::int64_t width = args->width;
  const auto scaleInto = [width](float* out, bool accumulate, float factor, const float* in) {
    if (accumulate)
      for (std::int64_t d = 0; d < width; ++d) out[d] += factor * in[d];
    else
      for (std::int64_t d = 0; d < width; ++d) out[d] = factor * in[d];
  };
  forBlocks(call, args->rows, rowGrain(width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const std::int64_t at = b * width;
      if (args->dx) scaleInto(args->dx + at, args->accumulateX, args->dout[b], args->y + at);
      if (args->dy) scaleInto(args->dy + at, args->accumulateY, args->dout[b], args->x + at);
    }
  });
  return PP_OK;
}

std::int32_t squaredError(const PpCall*, const PpSquaredError* args) {
  for (std::int64_t b = 0; b < args->rows; ++b) {
    const float error = args->prediction[b] - args->label[b];
    const float weight = args->weight ? args->weight[b] : 1.0f;
    const double weighted = static_cast<double>(weight) * static_cast<double>(error);
    args->sums[0] += weighted * static_cast<double>(error);
    args->sums[1] += std::abs(weighted);
    args->sums[2] += static_cast<double>(weight);
    if (args->gradient) args->gradient[b] = args->gradientScale * 2.0f * weight * error;
  }
  return PP_OK;
}

// Scores are made in tiles that stay in L2 between the product that writes them and the scan.
std::int32_t scanScores(const PpCall*, const PpScanScores* args) {
  constexpr std::int64_t kQueries = 64, kCandidates = 256;
  alignas(64) float scores[kQueries * kCandidates];
  const std::int64_t width = args->width;
  for (std::int64_t first = 0; first < args->candidateCount; first += kCandidates) {
    const std::int64_t candidates = std::min(kCandidates, args->candidateCount - first);
    const ConstMap right(args->candidates + first * width, candidates, width, Stride(width));
    for (std::int64_t query0 = 0; query0 < args->queryCount; query0 += kQueries) {
      const std::int64_t queries = std::min(kQueries, args->queryCount - query0);
      const ConstMap left(args->queries + query0 * width, queries, width, Stride(width));
      Map tile(scores, queries, candidates, Stride(kCandidates));
      tile.noalias() = left * right.transpose();
      for (std::int64_t q = query0; q < query0 + queries; ++q)
        for (std::int64_t v = 0; v < candidates; ++v) {
          const float score = scores[(q - query0) * kCandidates + v];
          if (!(score < args->thresholds[q]))
            args->thresholds[q] = args->offer(args->offerContext, q, first + v, score);
        }
    }
  }
  return PP_OK;
}

}  // namespace parapet::tensor::cpu

// SPDX-License-Identifier: Apache-2.0
// Ops on each element: activations, crosses, products, dropout, signed logarithms,
// quantiles; and the dot products and mixtures of the parts of a row.
#include "plugins/cuda/activations.h"
#include "plugins/cuda/draws.h"
#include "plugins/cuda/ops.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

constexpr float kInvSqrt2Pi = 0.39894228040143268f;

// act′ from the input z = x + bias where ppSlopesByInput, else from the output y.
PP_DEVICE float slopeOf(std::int32_t activation, float y, float z) {
  switch (activation) {
    case PP_RELU:
      return y > 0.0f ? 1.0f : 0.0f;
    case PP_TANH:
      return 1.0f - y * y;
    case PP_SIGMOID:
      return y * (1.0f - y);
    case PP_GELU:
      return 0.5f * (1.0f + std::erf(z * kInvSqrt2)) + z * std::exp(-0.5f * z * z) * kInvSqrt2Pi;
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

/// Position of a number among ascending ones: see PpQuantile.
PP_DEVICE float positionAmong(const float* values, std::int64_t count, float x) {
  std::int64_t low = 0, end = count;  // the first that is not below x
  while (low < end) {
    const std::int64_t middle = (low + end) / 2;
    if (values[middle] < x)
      low = middle + 1;
    else
      end = middle;
  }
  std::int64_t high = low;
  end = count;  // the first that is above x
  while (high < end) {
    const std::int64_t middle = (high + end) / 2;
    if (x < values[middle])
      end = middle;
    else
      high = middle + 1;
  }
  if (low < high) return 0.5f * static_cast<float>(low + high - 1);
  if (low == count) return static_cast<float>(count - 1);
  if (low == 0) return 0.0f;
  return static_cast<float>(low - 1) + (x - values[low - 1]) / (values[low] - values[low - 1]);
}

/// The parts of an interaction or a mixture by value, so that a kernel can be given them.
constexpr std::int32_t kMaxParts = 512;  // of the engine
struct InteractionParts {
  const float* in[kMaxParts];
};
struct InteractionGradients {
  float* dIn[kMaxParts];
  bool accumulate[kMaxParts];
};

bool fits(const PpCall* call, std::int32_t parts) {
  if (parts <= kMaxParts) return true;
  fail(streamOf(call), PP_UNSUPPORTED,
       std::to_string(parts) + " parts; at most " + std::to_string(kMaxParts) + " are accepted");
  return false;
}

template <class Args>
InteractionParts partsOf(const Args& args) {
  InteractionParts parts{};
  for (std::int32_t i = 0; i < args.parts; ++i) parts.in[i] = args.in[i];
  return parts;
}

template <class Args>
InteractionGradients gradientsOf(const Args& args) {
  InteractionGradients gradients{};
  for (std::int32_t i = 0; i < args.parts; ++i) {
    gradients.dIn[i] = args.dIn[i];
    gradients.accumulate[i] = args.accumulate[i] != 0;
  }
  return gradients;
}

/// Softmax weights of the parts of a row.
struct MixtureWeights {
  const float* logits;
  std::int32_t parts;
  float greatest, sum;

  PP_DEVICE MixtureWeights(const float* ofRow, std::int32_t count)
      : logits(ofRow), parts(count), greatest(ofRow[0]), sum(0.0f) {
    for (std::int32_t i = 1; i < parts; ++i) greatest = logits[i] > greatest ? logits[i] : greatest;
    for (std::int32_t i = 0; i < parts; ++i) sum += std::exp(logits[i] - greatest);
  }
  PP_DEVICE float operator()(std::int32_t part) const {
    return std::exp(logits[part] - greatest) / sum;
  }
};

/// A block per row: dLogits holds the products g first.
struct MixtureLogits {
  PpMixtureGradient a;
  InteractionParts parts;

  PP_DEVICE void operator()(std::int64_t b) const {
    const MixtureWeights weights(a.logits + b * a.parts, a.parts);
    float* const dLogits = a.dLogits + b * a.parts;
    float mean = 0.0f;
    for (std::int32_t i = 0; i < a.parts; ++i) {
      float product = 0.0f;
      for (std::int64_t d = thread(); d < a.width; d += threads())
        product += a.dout[b * a.width + d] * parts.in[i][b * a.width + d];
      product = sumOverBlock(product);
      mean += weights(i) * product;
      if (thread() == 0) dLogits[i] = product;
    }
    if (thread() != 0) return;
    for (std::int32_t i = 0; i < a.parts; ++i) dLogits[i] = weights(i) * (dLogits[i] - mean);
  }
};

}  // namespace

std::int32_t biasActivation(const PpCall* call, const PpBiasActivation* args) {
  const PpBiasActivation a = *args;
  forRows(call, a.rows, a.width, [a] PP_DEVICE(std::int64_t b, std::int64_t d) {
    const std::int64_t at = b * a.width + d;
    a.y[at] = Finish{a.bias, a.activation}(a.x[at], d);
  });
  return done(call);
}

std::int32_t biasActivationGradient(const PpCall* call, const PpBiasActivationGradient* args) {
  const PpBiasActivationGradient a = *args;
  const bool fromInput = ppSlopesByInput(a.activation) != 0;
  forRows(call, a.rows, a.width, [=] PP_DEVICE(std::int64_t b, std::int64_t d) {
    const std::int64_t at = b * a.width + d;
    const float z = fromInput ? a.x[at] + (a.bias ? a.bias[d] : 0.0f) : 0.0f;
    a.dx[at] = a.dy[at] * slopeOf(a.activation, a.y[at], z);
  });
  if (!a.dbias) return done(call);
  Scratch scratch(call);
  sumColumns<1>(
      call, scratch, a.rows, a.width,
      [a] PP_DEVICE(std::int64_t b, std::int64_t d) {
        return Sums<1>{{static_cast<double>(a.dx[b * a.width + d])}};
      },
      [a] PP_DEVICE(std::int64_t d, const Sums<1>& total) {
        a.dbias[d] = static_cast<float>(total.of[0]);
      });
  return done(call);
}

std::int32_t cross(const PpCall* call, const PpCross* args) {
  const PpCross a = *args;
  forElements(call, a.rows * a.width, [a] PP_DEVICE(std::int64_t i) {
    a.y[i] = a.x0[i] * (a.u[i] + a.diagScale * a.x[i]) + a.x[i];
  });
  return done(call);
}

std::int32_t crossGradient(const PpCall* call, const PpCrossGradient* args) {
  const PpCrossGradient a = *args;
  forElements(call, a.rows * a.width, [a] PP_DEVICE(std::int64_t i) {
    const float dy = a.dy[i], x0 = a.x0[i];
    const float towardsX0 = dy * (a.u[i] + a.diagScale * a.x[i]);
    const float towardsX = dy * (1.0f + a.diagScale * x0);
    if (a.du) a.du[i] = dy * x0;
    if (a.dx0 && a.dx0 == a.dx) {
      a.dx[i] = (a.accumulateX ? a.dx[i] : 0.0f) + (towardsX0 + towardsX);
      return;
    }
    if (a.dx0) a.dx0[i] = (a.accumulateX0 ? a.dx0[i] : 0.0f) + towardsX0;
    if (a.dx) a.dx[i] = (a.accumulateX ? a.dx[i] : 0.0f) + towardsX;
  });
  return done(call);
}

// Pair p of the lower triangle is (i, j) with firstOf(i) <= p.
std::int32_t dotInteraction(const PpCall* call, const PpDotInteraction* args) {
  if (!fits(call, args->parts)) return done(call);
  const PpDotInteraction a = *args;
  const InteractionParts parts = partsOf(a);
  const std::int64_t self = a.self ? 1 : -1, pairs = a.parts * (a.parts + self) / 2;
  forRows(call, a.rows, pairs, [=] PP_DEVICE(std::int64_t b, std::int64_t pair) {
    auto i = static_cast<std::int64_t>(std::sqrt(2.0 * static_cast<double>(pair)));
    while (i * (i + self) / 2 > pair) --i;
    while ((i + 1) * (i + 1 + self) / 2 <= pair) ++i;
    const float* const left = parts.in[i] + b * a.width;
    const float* const right = parts.in[pair - i * (i + self) / 2] + b * a.width;
    float sum = 0.0f;
    for (std::int64_t d = 0; d < a.width; ++d) sum += left[d] * right[d];
    a.out[b * pairs + pair] = sum;
  });
  return done(call);
}

std::int32_t dotInteractionGradient(const PpCall* call, const PpDotInteractionGradient* args) {
  if (!fits(call, args->parts)) return done(call);
  const PpDotInteractionGradient a = *args;
  const InteractionParts parts = partsOf(a);
  const InteractionGradients gradients = gradientsOf(a);
  const std::int64_t self = a.self ? 1 : -1, pairs = a.parts * (a.parts + self) / 2;
  forRows(call, a.rows * a.parts, a.width, [=] PP_DEVICE(std::int64_t row, std::int64_t d) {
    const std::int64_t b = row / a.parts, i = row % a.parts;
    if (!gradients.dIn[i]) return;
    float& to = gradients.dIn[i][b * a.width + d];
    float sum = gradients.accumulate[i] ? to : 0.0f;
    for (std::int64_t j = 0; j < a.parts; ++j) {
      if (i == j && !a.self) continue;
      const std::int64_t above = i > j ? i : j, below = i > j ? j : i;
      const float factor = a.dout[b * pairs + above * (above + self) / 2 + below];
      sum += factor * (i == j ? 2.0f : 1.0f) * parts.in[j][b * a.width + d];
    }
    to = sum;
  });
  return done(call);
}

std::int32_t multiply(const PpCall* call, const PpMultiply* args) {
  const PpMultiply a = *args;
  forElements(call, a.rows * a.width, [a] PP_DEVICE(std::int64_t i) { a.z[i] = a.x[i] * a.y[i]; });
  return done(call);
}

std::int32_t multiplyGradient(const PpCall* call, const PpMultiplyGradient* args) {
  const PpMultiplyGradient a = *args;
  forElements(call, a.rows * a.width, [a] PP_DEVICE(std::int64_t i) {
    if (a.dx) a.dx[i] = (a.accumulateX ? a.dx[i] : 0.0f) + a.dz[i] * a.y[i];
    if (a.dy) a.dy[i] = (a.accumulateY ? a.dy[i] : 0.0f) + a.dz[i] * a.x[i];
  });
  return done(call);
}

std::int32_t mixture(const PpCall* call, const PpMixture* args) {
  if (!fits(call, args->parts)) return done(call);
  const PpMixture a = *args;
  const InteractionParts parts = partsOf(a);
  forRows(call, a.rows, a.width, [=] PP_DEVICE(std::int64_t b, std::int64_t d) {
    const MixtureWeights weights(a.logits + b * a.parts, a.parts);
    float sum = 0.0f;
    for (std::int32_t i = 0; i < a.parts; ++i) sum += weights(i) * parts.in[i][b * a.width + d];
    a.out[b * a.width + d] = sum;
  });
  return done(call);
}

std::int32_t mixtureGradient(const PpCall* call, const PpMixtureGradient* args) {
  if (!fits(call, args->parts)) return done(call);
  const PpMixtureGradient a = *args;
  const InteractionParts parts = partsOf(a);
  const InteractionGradients gradients = gradientsOf(a);
  if (a.dLogits) forBlocks(call, a.rows, MixtureLogits{a, parts});
  forRows(call, a.rows * a.parts, a.width, [=] PP_DEVICE(std::int64_t row, std::int64_t d) {
    const std::int64_t b = row / a.parts;
    const auto i = static_cast<std::int32_t>(row % a.parts);
    if (!gradients.dIn[i]) return;
    float& to = gradients.dIn[i][b * a.width + d];
    const MixtureWeights weights(a.logits + b * a.parts, a.parts);
    to = (gradients.accumulate[i] ? to : 0.0f) + weights(i) * a.dout[b * a.width + d];
  });
  return done(call);
}

std::int32_t dropout(const PpCall* call, const PpDropout* args) {
  const PpDropout a = *args;
  forElements(call, a.count, [a] PP_DEVICE(std::int64_t i) {
    const bool dropped = drawnAt(keyOf(a), a.first + static_cast<std::uint64_t>(i)) < a.dropBelow;
    a.y[i] = dropped ? 0.0f : a.x[i] * a.scale;
  });
  return done(call);
}

std::int32_t signedLog(const PpCall* call, const PpSignedLog* args) {
  const PpSignedLog a = *args;
  forElements(call, a.count, [a] PP_DEVICE(std::int64_t i) {
    const float x = a.x[i];
    a.y[i] = std::copysign(std::log1p(std::abs(x)), x);
  });
  return done(call);
}

std::int32_t quantile(const PpCall* call, const PpQuantile* args) {
  const PpQuantile a = *args;
  forElements(call, a.count, [a] PP_DEVICE(std::int64_t i) {
    a.y[i] = positionAmong(a.values, a.knots, a.x[i]) / static_cast<float>(a.knots - 1);
  });
  return done(call);
}

}  // namespace parapet::cuda

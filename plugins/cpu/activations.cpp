// SPDX-License-Identifier: Apache-2.0
// Biases and activations; tanh and sigmoid go forward by the portable ones.
#include "plugins/cpu/kernels.h"
#include "plugins/cpu/powers.h"

namespace parapet::plugin {
namespace {

template <class Number>
Number magnitudeOf(Number x) {
  return where(x < 0.0f, -x, x);
}

/// The share of a number that a smooth gate lets through, and the derivative of that share.
template <class Number>
struct Gate {
  Number open, slope;
};

/// σ(2u), u = √(2/π)·(z + 0.044715·z³), which is (1 + tanh u)/2.
template <class Number>
Gate<Number> tanhGate(Number z) {
  constexpr float kTwice = 2.0f * 0.79788456080286536f, kCubic = 0.044715f;
  const Number square = z * z;
  const Number argument = kTwice * z * (1.0f + kCubic * square);
  const Number power = powerOf(-magnitudeOf(argument));
  const Number most = 1.0f / (1.0f + power), least = power * most;
  return {where(argument < 0.0f, least, most),
          most * least * (kTwice * (1.0f + 3.0f * kCubic * square))};
}

/// Φ(z), from erf in five terms, good to 1.5e-7 (Abramowitz and Stegun 7.1.26).
template <class Number>
Gate<Number> normalGate(Number z) {
  constexpr float kInvSqrt2 = 0.70710678118654752f, kDensity = 0.39894228040143268f;
  const Number t = 1.0f / (1.0f + (0.3275911f * kInvSqrt2) * magnitudeOf(z));
  const Number power = powerOf(-0.5f * z * z);
  Number tail = 1.061405429f * t - 1.453152027f;
  tail = tail * t + 1.421413741f;
  tail = tail * t - 0.284496736f;
  tail = tail * t + 0.254829592f;
  tail = 0.5f * tail * t * power;
  return {where(z < 0.0f, tail, 1.0f - tail), kDensity * power};
}

/// σ(z).
template <class Number>
Gate<Number> logisticGate(Number z) {
  const Number power = powerOf(-magnitudeOf(z));
  const Number most = 1.0f / (1.0f + power), least = power * most;
  return {where(z < 0.0f, least, most), most * least};
}

/// Calls body(function) with z → act(z); false if there is none here.
template <class Body>
bool withActivation(std::int32_t activation, const Body& body) {
  switch (activation) {
    case PP_LINEAR:
      body([](auto z) { return z; });
      return true;
    case PP_RELU:
      body([]<class Number>(Number z) { return where(z < 0.0f, Number{}, z); });  // NaN stays
      return true;
    case PP_GELU:
      body([](auto z) { return z * normalGate(z).open; });
      return true;
    case PP_GELU_TANH:
      body([](auto z) { return z * tanhGate(z).open; });
      return true;
    case PP_SILU:
      body([](auto z) { return z * logisticGate(z).open; });
      return true;
    default:
      return false;
  }
}

/// y [width] = act(x + bias); y may be x.
template <class Activate>
inline void activateRow(std::int64_t width, const float* x, const float* bias, float* y,
                        const Activate& activate) {
  forChunks(width, [&]<class Number, int N>(std::int64_t d) {
    for (int i = 0; i < N; ++i) {
      const std::int64_t column = d + i * kWidth<Number>;
      Number z = load<Number>(x + column);
      if (bias) z += load<Number>(bias + column);
      store(y + column, activate(z));
    }
  });
}

/// The value that the derivative of an activation is taken from.
enum class SlopeOf { kInput, kOutput };

/// Calls body<SlopeOf>(function) with (dy, that) → dx.
template <class Body>
void withSlope(std::int32_t activation, const Body& body) {
  switch (activation) {
    case PP_RELU:
      return body.template operator()<SlopeOf::kOutput>(
          []<class Number>(Number dy, Number y) { return where(y > 0.0f, dy, Number{}); });
    case PP_TANH:
      return body.template operator()<SlopeOf::kOutput>(
          [](auto dy, auto y) { return dy * (1.0f - y * y); });
    case PP_SIGMOID:
      return body.template operator()<SlopeOf::kOutput>(
          [](auto dy, auto y) { return dy * (y * (1.0f - y)); });
    case PP_GELU:
      return body.template operator()<SlopeOf::kInput>([](auto dy, auto z) {
        const auto gate = normalGate(z);
        return dy * (gate.open + z * gate.slope);
      });
    case PP_GELU_TANH:
      return body.template operator()<SlopeOf::kInput>([](auto dy, auto z) {
        const auto gate = tanhGate(z);
        return dy * (gate.open + z * gate.slope);
      });
    case PP_SILU:
      return body.template operator()<SlopeOf::kInput>([](auto dy, auto z) {
        const auto gate = logisticGate(z);
        return dy * (gate.open + z * gate.slope);
      });
    default:
      return body.template operator()<SlopeOf::kOutput>([](auto dy, auto) { return dy; });
  }
}

// A few rows at a time, so that each is read as one stream, and the sums are not moved for each.
constexpr std::int64_t kRowsTogether = 8;

/// N registers of columns from d on, of rows [begin, end): the gradient of the bias is summed on
/// the way.
template <SlopeOf kOf, class Number, int N, class Slope>
inline void gradientOfColumns(const PpBiasActivationGradient& a, const Slope& slope, std::int64_t d,
                              std::int64_t begin, std::int64_t end) {
  const float* const from = kOf == SlopeOf::kInput ? a.x : a.y;
  for (int i = 0; i < N; ++i) {
    const std::int64_t column = d + i * kWidth<Number>;
    Number sum{}, bias{};
    if (a.dbias && begin > 0) sum = load<Number>(a.dbias + column);
    if (kOf == SlopeOf::kInput && a.bias) bias = load<Number>(a.bias + column);
    for (std::int64_t b = begin; b < end; ++b) {
      const std::int64_t element = b * a.width + column;
      Number value = load<Number>(from + element);
      if constexpr (kOf == SlopeOf::kInput) value += bias;
      const Number dx = slope(load<Number>(a.dy + element), value);
      store(a.dx + element, dx);
      sum += dx;
    }
    if (a.dbias) store(a.dbias + column, sum);
  }
}

}  // namespace

std::int32_t biasActivation(const PpCall* call, const PpBiasActivation* args) {
  const PpBiasActivation a = *args;
  const bool known = withActivation(a.activation, [&](const auto& activate) {
    forBlocks(call, a.rows, rowGrain(a.width), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b)
        activateRow(a.width, a.x + b * a.width, a.bias, a.y + b * a.width, activate);
    });
  });
  return known ? PP_OK : parapet_portable_cpu()->ops->biasActivation(call, args);
}

void finishProduct(const PpMatmul& block) {
  if (!block.bias && block.activation == PP_LINEAR) return;
  const auto forRows = [&](const auto& body) {
    for (std::int64_t i = 0; i < block.m; ++i) body(block.c + i * block.strideC);
  };
  const bool known = withActivation(block.activation, [&](const auto& activate) {
    forRows([&](float* row) { activateRow(block.n, row, block.bias, row, activate); });
  });
  if (known) return;
  const PpCall here = tensor::onThisThread(PpCall{});
  forRows([&](float* row) {
    const PpBiasActivation args{1, block.n, block.activation, row, block.bias, row};
    parapet_portable_cpu()->ops->biasActivation(&here, &args);
  });
}

// Columns are cut over workers, not rows, so that each sum has one worker and one order.
std::int32_t biasActivationGradient(const PpCall* call, const PpBiasActivationGradient* args) {
  constexpr std::int64_t kColumns = 64, kMinSplitElements = 64 * 1024;
  const PpBiasActivationGradient a = *args;
  const std::int64_t grain = a.rows * a.width > kMinSplitElements ? kColumns : a.width;
  if (a.rows == 0 && a.dbias) std::fill_n(a.dbias, a.width, 0.0f);
  withSlope(a.activation, [&]<SlopeOf kOf>(const auto& slope) {
    forBlocks(call, a.width, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = 0; b < a.rows; b += kRowsTogether)
        forChunks(end - begin, [&]<class Number, int N>(std::int64_t d) {
          gradientOfColumns<kOf, Number, N>(a, slope, begin + d, b,
                                            std::min(a.rows, b + kRowsTogether));
        });
    });
  });
  return PP_OK;
}

}  // namespace parapet::plugin

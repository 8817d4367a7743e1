// SPDX-License-Identifier: Apache-2.0
// Biases and the activations that need no functions of a library; the others are the portable ones.
#include "plugins/cpu/floats.h"
#include "plugins/cpu/kernels.h"

namespace parapet::plugin {
namespace {

/// Calls body(function) with the derivative of an activation, taken from its output; false if that
/// is not enough.
template <class Body>
bool withSlope(std::int32_t activation, const Body& body) {
  switch (activation) {
    case PP_LINEAR:
      body([](auto dy, auto) { return dy; });
      return true;
    case PP_RELU:
      body([]<class Number>(Number dy, Number y) { return y > 0.0f ? dy : Number{}; });
      return true;
    case PP_TANH:
      body([](auto dy, auto y) { return dy * (1.0f - y * y); });
      return true;
    case PP_SIGMOID:
      body([](auto dy, auto y) { return dy * (y * (1.0f - y)); });
      return true;
    default:
      return false;
  }
}

/// N registers of columns from d on, row after row: the gradient of the bias is summed on the way.
template <class Number, int N, class Slope>
inline void gradientOfColumns(const PpBiasActivationGradient& a, const Slope& slope,
                              std::int64_t d) {
  Number sum[N]{};
  for (std::int64_t at = d; at < a.rows * a.width; at += a.width)
    for (int i = 0; i < N; ++i) {
      const std::int64_t element = at + i * kWidth<Number>;
      const Number dx = slope(load<Number>(a.dy + element), load<Number>(a.y + element));
      store(a.dx + element, dx);
      sum[i] += dx;
    }
  for (int i = 0; a.dbias && i < N; ++i) store(a.dbias + d + i * kWidth<Number>, sum[i]);
}

}  // namespace

std::int32_t biasActivation(const PpCall* call, const PpBiasActivation* args) {
  const PpBiasActivation a = *args;
  if (a.activation != PP_RELU && a.activation != PP_LINEAR)
    return parapet_portable_cpu()->ops->biasActivation(call, args);
  const float least = a.activation == PP_RELU ? 0.0f : -__builtin_inff();
  forBlocks(call, a.rows, rowGrain(a.width), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      forChunks(a.width, [&]<class Number, int N>(std::int64_t d) {
        for (int i = 0; i < N; ++i) {
          const std::int64_t column = d + i * kWidth<Number>;
          Number z = load<Number>(a.x + b * a.width + column);
          if (a.bias) z += load<Number>(a.bias + column);
          store(a.y + b * a.width + column, z < least ? Number{} : z);
        }
      });
  });
  return PP_OK;
}

// Columns are cut over workers, not rows, so that each sum has one worker and one order.
std::int32_t biasActivationGradient(const PpCall* call, const PpBiasActivationGradient* args) {
  constexpr std::int64_t kColumns = 64, kMinSplitElements = 64 * 1024;
  const PpBiasActivationGradient a = *args;
  const std::int64_t grain = a.rows * a.width > kMinSplitElements ? kColumns : a.width;
  const bool known = withSlope(a.activation, [&](const auto& slope) {
    forBlocks(call, a.width, grain, [=](std::int64_t begin, std::int64_t end) {
      forChunks(end - begin, [&]<class Number, int N>(std::int64_t d) {
        gradientOfColumns<Number, N>(a, slope, begin + d);
      });
    });
  });
  return known ? PP_OK : parapet_portable_cpu()->ops->biasActivationGradient(call, args);
}

}  // namespace parapet::plugin

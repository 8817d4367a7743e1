// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "engine/tensor/dense_abi.h"
#include "plugins/cuda/device_code.h"

namespace parapet::cuda {

inline constexpr float kInvSqrt2 = 0.70710678118654752f;
inline constexpr float kSqrt2OverPi = 0.79788456080286536f, kCubic = 0.044715f;

inline PP_DEVICE float activate(std::int32_t activation, float x) {
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

/// The work on an element of column `column` before it is written; bias may be null.
struct Finish {
  const float* bias = nullptr;
  std::int32_t activation = PP_LINEAR;

  [[nodiscard]] bool isNone() const { return bias == nullptr && activation == PP_LINEAR; }
  PP_DEVICE float operator()(float x, std::int64_t column) const {
    return activate(activation, bias ? x + bias[column] : x);
  }
};

}  // namespace parapet::cuda

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Element-wise functions after a dense layer; the values are the ABI's.
enum class ActivationOp : std::int32_t {
  kLinear = PP_LINEAR,
  kRelu = PP_RELU,
  kTanh = PP_TANH,
  kSigmoid = PP_SIGMOID,
  kGelu = PP_GELU,           ///< exact: x·Φ(x)
  kGeluTanh = PP_GELU_TANH,  ///< x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))
};

/// y = act(x + bias), row by row.
///
/// Shapes   x, y [B, D]; bias [D] or null; y may be x only where the gradient does not need x
///          (all but both gelu).
/// Errors   InvalidArgument if B < 0 or D < 1.
void biasActivation(const Launch& launch, ActivationOp activation, std::int64_t rows,
                    std::int64_t width, const float* x, const float* bias, float* y);

/// dx = dy ⊙ act′(x + bias); dbias[d] = Σ_b dx[b, d].
///
/// Shapes   x, y, dy, dx [B, D] (dx may be dy); bias, dbias [D] or null. x and bias are read for
///          both gelu only.
/// Order    dbias sums in the order of b.
void biasActivationGradient(const Launch& launch, ActivationOp activation, std::int64_t rows,
                            std::int64_t width, const float* x, const float* bias, const float* y,
                            const float* dy, float* dx, float* dbias);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"
#include "engine/tensor/ops/dot_rows.h"

namespace parapet::tensor {

/// What the cross of features reads.
struct CrossInputs {
  const float* x0;  ///< where the run of crosses began; may be x
  const float* x;
  const float* u;  ///< act(W·x + b)
  float diagScale;
};

/// One cross of features: y = x0 ⊙ (u + diagScale·x) + x.
///
/// Shapes   all [B, D].
/// Errors   InvalidArgument if B < 0 or D < 1.
/// Source   keras-rs FeatureCross (DCN-v2: Wang et al. 2021).
void cross(const Launch& launch, std::int64_t rows, std::int64_t width, const CrossInputs& inputs,
           float* y);

/// Where the gradients of a cross go; any may be null.
struct CrossGradients {
  float* dx0;
  Accumulate accumulateX0;
  float* dx;
  Accumulate accumulateX;
  float* du;
};

/// The gradient of cross().
///
///   dx0 = dy ⊙ (u + diagScale·x)
///   dx  = dy ⊙ (1 + diagScale·x0)
///   du  = dy ⊙ x0
///
/// Shapes   all [B, D]. Where dx0 is dx, because x0 is x, it gets their sum, and accumulateX says
///          whether that is added.
void crossGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                   const CrossInputs& inputs, const float* dy, const CrossGradients& gradients);

/// Whether a part also meets itself.
enum class SelfInteraction : std::int32_t { kNo = 0, kYes = 1 };

/// Columns of the interaction of F parts: F·(F − 1)/2, or F·(F + 1)/2 with themselves.
std::int64_t interactionWidth(std::int64_t parts, SelfInteraction self);

/// The dot products of all pairs of inputs, row by row of the batch.
///
///   out[b, :] = (1·0), (2·0), (2·1), (3·0) …, where i·j = Σ_d parts[i][b, d]·parts[j][b, d];
///   with themselves (0·0), (1·0), (1·1), (2·0) …
///
/// Shapes   parts F × [B, D]; out [B, interactionWidth(F, self)].
/// Errors   InvalidArgument if B < 0, D < 1 or there is no pair.
/// Source   keras-rs DotInteraction (DLRM: Naumov et al. 2019).
void dotInteraction(const Launch& launch, std::int64_t rows, std::int64_t width,
                    std::span<const float* const> parts, SelfInteraction self, float* out);

/// The gradient of dotInteraction().
///
///   gradients[i][b, :] (+)= Σ_j dout[b, i·j]·parts[j][b, :], twice for j = i
///
/// Added where accumulate[i] is 1; any gradient may be null.
///
/// Shapes   parts, gradients F × [B, D] and accumulate [F]; no gradient is a part.
/// Order    sums in the order of j.
void dotInteractionGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                            std::span<const float* const> parts, SelfInteraction self,
                            const float* dout, std::span<float* const> gradients,
                            std::span<const std::int32_t> accumulate);

}  // namespace parapet::tensor

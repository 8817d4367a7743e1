// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

// In both norms ĥ = (x − mean)/√(variance + ε) with the biased variance; means and variances are
// summed in double precision.

/// What is scaled and shifted: γ ⊙ ĥ + β.
struct NormInputs {
  const float* x;
  const float* gamma;
  const float* beta;  ///< not read by gradients
  float epsilon;
};

/// Where gradients go; any may be null, and dx may be dy.
struct NormGradients {
  float* dx;
  float* dgamma;
  float* dbeta;
};

/// y[b, :] = γ ⊙ ĥ[b, :] + β with mean and variance of the row.
///
/// Shapes   x, y [B, D]; γ, β [D].
/// Errors   InvalidArgument if B < 0 or D < 1.
/// Source   Keras LayerNormalization (Ba et al. 2016).
void layerNorm(const Launch& launch, std::int64_t rows, std::int64_t width,
               const NormInputs& inputs, float* y);

/// The gradient of layerNorm(), with g = γ ⊙ dy and means over a row.
///
///   dx = (g − mean(g) − ĥ·mean(g ⊙ ĥ))/√(variance + ε)
///   dγ = Σ_b dy ⊙ ĥ
///   dβ = Σ_b dy
///
/// Order    dγ and dβ sum in the order of b.
void layerNormGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                       const NormInputs& inputs, const float* dy, const NormGradients& gradients);

/// Of which rows a batch norm takes mean and variance.
enum class BatchStatistics {
  kOfBatch,  ///< those of x (training); the moving ones follow
  kMoving,   ///< all seen so far (evaluation); nothing moves
};

/// What batch norms remember from step to step.
struct MovingStatistics {
  float* mean;
  float* variance;
  float momentum;
};

/// y = γ ⊙ ĥ + β with mean and variance of each column. kOfBatch then moves the statistics, with
/// the biased variance:
///
///   moving = momentum·moving + (1 − momentum)·(that of the batch)
///
/// Shapes   x, y [B, D]; γ, β, moving mean and variance [D].
/// Errors   InvalidArgument if D < 1, B < 0, or B = 0 with kOfBatch.
/// Source   Keras BatchNormalization (Ioffe, Szegedy 2015).
void batchNorm(const Launch& launch, std::int64_t rows, std::int64_t width,
               const NormInputs& inputs, BatchStatistics statistics, const MovingStatistics& moving,
               float* y);

/// The gradient of batchNorm() with kOfBatch.
///
///   dγ = Σ_b dy ⊙ ĥ
///   dβ = Σ_b dy
///   dx = γ/√(variance + ε) ⊙ (dy − dβ/B − ĥ ⊙ dγ/B)
void batchNormGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                       const NormInputs& inputs, const float* dy, const NormGradients& gradients);

// The same where the rows of a batch lie in several memory spaces: batchMoments() and
// batchNormGradientSums() run over the rows of one space, and what they write is then added up over
// all spaces. B is the number of rows of the whole batch.

/// Sums of the columns over all rows: s1 = Σ x, s2 = Σ (x − s1/B)².
struct BatchMoments {
  std::int64_t batchRows;
  const double* s1;  ///< [D]
  const double* s2;  ///< [D]
};

/// sums[d] = Σ_b x[b, d], or with `s1` Σ_b (x[b, d] − s1[d]/B)².
///
/// Shapes   x [b, D]; sums, s1 [D].
/// Errors   InvalidArgument if b < 0, B < 1 or D < 1.
void batchMoments(const Launch& launch, std::int64_t rows, std::int64_t width, const float* x,
                  std::int64_t batchRows, const double* s1, double* sums);

/// batchNorm() with kOfBatch by the moments of the whole batch.
void batchNormOfMoments(const Launch& launch, std::int64_t rows, std::int64_t width,
                        const NormInputs& inputs, const BatchMoments& moments,
                        const MovingStatistics& moving, float* y);

/// sums = (Σ_b dy, Σ_b dy ⊙ ĥ), [2·D]; the same as f32 to dbeta and dgamma, which may be null.
void batchNormGradientSums(const Launch& launch, std::int64_t rows, std::int64_t width,
                           const NormInputs& inputs, const BatchMoments& moments, const float* dy,
                           double* sums, float* dgamma, float* dbeta);

/// dx of batchNormGradient() by those sums over the whole batch; dx may be dy.
void batchNormGradientOfSums(const Launch& launch, std::int64_t rows, std::int64_t width,
                             const NormInputs& inputs, const BatchMoments& moments, const float* dy,
                             const double* sums, float* dx);

/// Each row divided by its norm: y[b, :] = x[b, :]/√max(Σ_d x[b, d]², ε).
///
/// Shapes   x, y [B, D]; y may be x.
/// Errors   InvalidArgument if B < 0 or D < 1.
/// Source   TensorFlow l2_normalize.
void l2Normalize(const Launch& launch, std::int64_t rows, std::int64_t width, const float* x,
                 float epsilon, float* y);

/// Its gradient, with n = √(Σ x²) and h = x/n: dx = (dy − h·(h·dy))/n; dy/√ε where n² < ε. dx may be
/// dy.
void l2NormalizeGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                         const float* x, float epsilon, const float* dy, float* dx);

}  // namespace parapet::tensor

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_LAYERS_ABI_H
#define PARAPET_ENGINE_TENSOR_LAYERS_ABI_H

/* Layers: crosses, interactions and norms. */

#include "engine/tensor/call_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One cross of features: y = x0 ⊙ (u + diagScale*x) + x, all [rows, width]. x0 is where the run of
 * crosses began, and may be x; u is act(W·x + b).
 * Source: keras-rs FeatureCross (DCN-v2: Wang et al. 2021). */
typedef struct PpCross {
  int64_t rows, width;
  const float* x0;
  const float* x;
  const float* u;
  float diagScale;
  float* y;
} PpCross;

/* dx0 (+)= dy ⊙ (u + diagScale*x); dx (+)= dy ⊙ (1 + diagScale*x0); du = dy ⊙ x0; any may be null.
 * If dx0 is dx (x0 is x), it gets both, added to what was there if accumulateX. */
typedef struct PpCrossGradient {
  int64_t rows, width;
  const float* x0;
  const float* x;
  const float* u;
  float diagScale;
  const float* dy;
  float* dx0 PP_DEFAULT(NULL);
  int32_t accumulateX0 PP_DEFAULT(0);
  float* dx PP_DEFAULT(NULL);
  int32_t accumulateX PP_DEFAULT(0);
  float* du PP_DEFAULT(NULL);
} PpCrossGradient;

/* out[b, :] = in[i][b, :] · in[j][b, :] for i = 0 … parts-1, j = 0 … i-1 and, with self, j = i, in
 * this order. in[i] [rows, width]; there is at least one pair.
 * Source: keras-rs DotInteraction (DLRM: Naumov et al. 2019). */
typedef struct PpDotInteraction {
  int64_t rows, width;
  int32_t parts;
  int32_t self PP_DEFAULT(0);
  const float* const* in;
  float* out;
} PpDotInteraction;

/* dIn[i][b, :] (+)= sum over the pairs {i, j} of dout[b, {i, j}] * in[j][b, :], in the order of j;
 * the pair {i, i} counts twice. Any dIn[i] may be null, and none is one of in; it is added to where
 * accumulate[i]. */
typedef struct PpDotInteractionGradient {
  int64_t rows, width;
  int32_t parts;
  int32_t self PP_DEFAULT(0);
  const float* const* in;
  const float* dout;
  float* const* dIn;
  const int32_t* accumulate;
} PpDotInteractionGradient;

/* z = x ⊙ y, all [rows, width]; z may be x or y. */
typedef struct PpMultiply {
  int64_t rows, width;
  const float* x;
  const float* y;
  float* z;
} PpMultiply;

/* dx (+)= dz ⊙ y; dy (+)= dz ⊙ x; either may be null. */
typedef struct PpMultiplyGradient {
  int64_t rows, width;
  const float* x;
  const float* y;
  const float* dz;
  float* dx PP_DEFAULT(NULL);
  int32_t accumulateX PP_DEFAULT(0);
  float* dy PP_DEFAULT(NULL);
  int32_t accumulateY PP_DEFAULT(0);
} PpMultiplyGradient;

/* out[b, :] = Σ_i p[b, i] in[i][b, :] with p[b, :] the softmax of logits[b, :]; in[i] [rows, width],
 * logits [rows, parts], at least one part.
 * Source: the gates of MMoE (Ma et al. 2018). */
typedef struct PpMixture {
  int64_t rows, width;
  int32_t parts;
  const float* const* in;
  const float* logits;
  float* out;
} PpMixture;

/* With g[b, i] = dout[b, :] · in[i][b, :]:
 *   dIn[i][b, :] (+)= p[b, i] dout[b, :]
 *   dLogits[b, i] = p[b, i] (g[b, i] - Σ_j p[b, j] g[b, j])
 * Any dIn[i] may be null, and dLogits; dIn[i] is added to where accumulate[i]. */
typedef struct PpMixtureGradient {
  int64_t rows, width;
  int32_t parts;
  const float* const* in;
  const float* logits;
  const float* dout;
  float* const* dIn;
  const int32_t* accumulate;
  float* dLogits PP_DEFAULT(NULL);
} PpMixtureGradient;

/* y[b, :] = gamma ⊙ (x[b, :] - mean) / sqrt(variance + eps) + beta; mean and (biased) variance of
 * the row, summed in double precision.
 * Source: Keras LayerNormalization (Ba et al. 2016). */
typedef struct PpLayerNorm {
  int64_t rows, width;
  const float* x;
  const float* gamma;
  const float* beta;
  float epsilon;
  float* y;
} PpLayerNorm;

/* With h = (x - mean)/sqrt(variance + eps) and g = gamma ⊙ dy:
 *   dx[b, :] = (g - mean(g) - h*mean(g ⊙ h)) / sqrt(variance + eps)
 *   dgamma = sum over rows of dy ⊙ h
 *   dbeta = sum over rows of dy
 * in the order of the rows. Any of the three may be null; dx may be dy. */
typedef struct PpLayerNormGradient {
  int64_t rows, width;
  const float* x;
  const float* gamma;
  float epsilon;
  const float* dy;
  float* dx PP_DEFAULT(NULL);
  float* dgamma PP_DEFAULT(NULL);
  float* dbeta PP_DEFAULT(NULL);
} PpLayerNormGradient;

/* y = gamma ⊙ (x - mean) / sqrt(variance + eps) + beta. useBatch: mean and (biased) variance of
 * each column over the rows (at least 1), in double precision and fixed order; after that
 * movingMean = momentum*movingMean + (1 - momentum)*mean, movingVariance likewise. Else the moving
 * ones are used and left as they are.
 * Source: Keras BatchNormalization (Ioffe, Szegedy 2015). */
typedef struct PpBatchNorm {
  int64_t rows, width;
  const float* x;
  const float* gamma;
  const float* beta;
  float epsilon;
  float momentum PP_DEFAULT(0);
  int32_t useBatch PP_DEFAULT(0);
  float* movingMean;
  float* movingVariance;
  float* y;
} PpBatchNorm;

/* Of useBatch. With h as above over a column:
 *   dbeta = sum of dy
 *   dgamma = sum of dy*h
 *   dx = gamma/sqrt(variance + eps) * (dy - dbeta/rows - h*dgamma/rows)
 * Any of the three may be null; dx may be dy. */
typedef struct PpBatchNormGradient {
  int64_t rows, width;
  const float* x;
  const float* gamma;
  float epsilon;
  const float* dy;
  float* dx PP_DEFAULT(NULL);
  float* dgamma PP_DEFAULT(NULL);
  float* dbeta PP_DEFAULT(NULL);
} PpBatchNormGradient;

/* A batch norm whose rows lie in several memories: each sums over its own rows, and between the ops
 * the sums are added up over all of them. With S1, S2 the sums over all `batchRows` rows, at least 1,
 *   mean = S1/batchRows, variance = S2/batchRows, h as above. Sums are [width]. */

/* center null: sums = sum of x over the rows; else of (x - center/batchRows)^2. */
typedef struct PpBatchMoments {
  int64_t rows, width, batchRows;
  const float* x;
  const double* center PP_DEFAULT(NULL);
  double* sums;
} PpBatchMoments;

/* y = gamma*h + beta, and the moving statistics as PpBatchNorm moves them. */
typedef struct PpBatchNormOfMoments {
  int64_t rows, width, batchRows;
  const float* x;
  const float* gamma;
  const float* beta;
  float epsilon, momentum;
  const double* s1;
  const double* s2;
  float* movingMean;
  float* movingVariance;
  float* y;
} PpBatchNormOfMoments;

/* sums[0, width) = sum of dy, sums[width, 2*width) = sum of dy*h over the rows; they are also
 * written to dbeta and dgamma, which may be null. */
typedef struct PpBatchNormGradientSums {
  int64_t rows, width, batchRows;
  const float* x;
  float epsilon;
  const double* s1;
  const double* s2;
  const float* dy;
  double* sums;
  float* dgamma PP_DEFAULT(NULL);
  float* dbeta PP_DEFAULT(NULL);
} PpBatchNormGradientSums;

/* By those sums over all rows:
 *   dx = gamma/sqrt(variance + eps) * (dy - sums[c]/batchRows - h*sums[width + c]/batchRows)
 * dx may be dy. */
typedef struct PpBatchNormGradientOfSums {
  int64_t rows, width, batchRows;
  const float* x;
  const float* gamma;
  float epsilon;
  const double* s1;
  const double* s2;
  const float* dy;
  const double* sums;
  float* dx;
} PpBatchNormGradientOfSums;

/* y[b, :] = x[b, :] / sqrt(max(Σ_d x[b, d]^2, epsilon)); y may be x.
 * Source: TensorFlow l2_normalize. */
typedef struct PpL2Normalize {
  int64_t rows, width;
  const float* x;
  float epsilon;
  float* y;
} PpL2Normalize;

/* With n = sqrt(Σ_d x[b, d]^2), h = x[b, :]/n: dx = (dy − h (h·dy)) / n, or dy / sqrt(epsilon) where
 * n^2 < epsilon; dx may be dy. */
typedef struct PpL2NormalizeGradient {
  int64_t rows, width;
  const float* x;
  float epsilon;
  const float* dy;
  float* dx;
} PpL2NormalizeGradient;

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_OPTIMIZERS_ABI_H
#define PARAPET_ENGINE_TENSOR_OPTIMIZERS_ABI_H

/* Ops that merge, measure and clip gradients, and apply them to parameters. */

#include "engine/tensor/call_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter [tableRows, width] and its gradient.
 * rows null: every row has one; grad [tableRows, width], count == tableRows, all else null.
 * rows [count] distinct: row rows[u] has the gradient
 *     sum of scale[n] * grad[gradRows[n], :]  over n = first[u], next[first[u]], … until -1,
 * in this order; first null: over n = u alone; scale null: 1; gradRows null: n. So equal ids of a
 * batch are merged while they are applied, and the gradient of a row-wise dot product is never
 * written out. counted: how many rows there are, count and terms are then upper limits. */
typedef struct PpUpdateTarget {
  float* weight;
  int64_t tableRows, width;
  const int32_t* rows PP_DEFAULT(NULL);
  int64_t count;
  const float* grad;
  const int32_t* first PP_DEFAULT(NULL);
  const int32_t* next PP_DEFAULT(NULL);
  const float* scale PP_DEFAULT(NULL);
  const int32_t* gradRows PP_DEFAULT(NULL);
  int64_t terms;                       /* terms of all rows together; count where first is null */
  int32_t* nonFinite PP_DEFAULT(NULL); /* set to 1 if an updated weight is not finite */
  const int32_t* counted PP_DEFAULT(NULL);
} PpUpdateTarget;

/* Of the optimizers below, rates is not null: learningRate, of Adam stepSize and rootScale, of
 * PpDecayRows factor, are there. */

/* velocity null: w -= lr*g.  Else v = momentum*v - lr*g, w += v (Keras). everyRow: rows without a
 * gradient take part with g = 0; then, indexOfRow [tableRows] as in PpGroupRows.
 * Source: Keras 3 SGD without Nesterov. */
typedef struct PpSgd {
  PpUpdateTarget target;
  float learningRate;
  float momentum PP_DEFAULT(0);
  float* velocity PP_DEFAULT(NULL);
  int32_t everyRow PP_DEFAULT(0);
  int32_t* indexOfRow PP_DEFAULT(NULL);
  const float* rates PP_DEFAULT(NULL);
} PpSgd;

/* acc += g*g; w -= lr*g / sqrt(acc + eps)  (epsilonInsideRoot: Keras 3)  or  lr*g / (sqrt(acc) + eps)
 * (PyTorch). A row without gradient never moves. */
typedef struct PpAdagrad {
  PpUpdateTarget target;
  float learningRate, epsilon;
  int32_t epsilonInsideRoot;
  float* accumulator;
  const float* rates PP_DEFAULT(NULL);
} PpAdagrad;

/* One accumulator per row [tableRows]: acc += mean over d of g*g; then w as in PpAdagrad.
 * meanSquares [count]: the means of the target's rows, where the target has some of their columns
 * only; null: its own. Source: FBGEMM/TorchRec EXACT_ROWWISE_ADAGRAD, outside of the root. */
typedef struct PpRowwiseAdagrad {
  PpUpdateTarget target;
  float learningRate, epsilon;
  int32_t epsilonInsideRoot;
  float* accumulator;
  const float* meanSquares PP_DEFAULT(NULL);
  const float* rates PP_DEFAULT(NULL);
} PpRowwiseAdagrad;

/* m = b1*m + (1-b1)*g; v = b2*v + (1-b2)*g*g; w -= stepSize * m / (sqrt(v)*rootScale + eps).
 * The caller folds the bias correction into stepSize and rootScale (tensor::AdamFactors). everyRow and
 * indexOfRow as in PpSgd. Source: Kingma, Ba (2015); Keras 3 Adam; PyTorch Adam. */
typedef struct PpAdam {
  PpUpdateTarget target;
  float stepSize, rootScale, beta1, beta2, epsilon;
  float* moment;
  float* variance;
  int32_t everyRow PP_DEFAULT(0);
  int32_t* indexOfRow PP_DEFAULT(NULL);
  const float* rates PP_DEFAULT(NULL);
} PpAdam;

/* Follow-the-regularised-leader: a = acc + g*g, p = -learningRatePower,
 *   linear += g - (a^p - acc^p)/lr * w
 *   w = (clamp(linear, -l1, l1) - linear) / (a^p/lr + 2*l2 + beta/lr)
 *   acc = a
 * A row without gradient stays as it is. Source: McMahan et al. (2013); Keras 3 Ftrl, without
 * shrinkage. */
typedef struct PpFtrl {
  PpUpdateTarget target;
  float learningRate, learningRatePower, l1, l2, beta;
  float* accumulator;
  float* linear;
  const float* rates PP_DEFAULT(NULL);
} PpFtrl;

/* w[row, :] -= factor * w[row, :] for the distinct rows [count]; rows null: every row, count ==
 * tableRows. counted as in PpUpdateTarget. */
typedef struct PpDecayRows {
  float* weight;
  int64_t tableRows, width;
  const int32_t* rows PP_DEFAULT(NULL);
  int64_t count;
  float factor;
  const int32_t* counted PP_DEFAULT(NULL);
  const float* rates PP_DEFAULT(NULL);
} PpDecayRows;

/* out[u, :] is the gradient of row u of the target, written out: [count, width]. Its weight is not
 * used; out may not be grad. */
typedef struct PpMergeRows {
  PpUpdateTarget target;
  float* out;
} PpMergeRows;

/* out[u] (+)= sum over d of g*g / columns, for the rows of the target; columns: of the whole
 * table. */
typedef struct PpMeanSquares {
  PpUpdateTarget target;
  int64_t columns;
  float* out;
  int32_t accumulate PP_DEFAULT(0);
} PpMeanSquares;

/* sum[0] += sum of in[i]^2 in double precision, in fixed order. */
typedef struct PpSumSquares {
  const float* in;
  int64_t count;
  double* sum;
} PpSumSquares;

/* values[i] = clamp(values[i] * factor, -limit, limit); limit may be infinite. NaN stays NaN.
 * squares not null: factor is maxNorm / sqrt(*squares) where that is below 1, else nothing is done. */
typedef struct PpScaleClamp {
  float* values;
  int64_t count;
  float factor PP_DEFAULT(1);
  float limit;
  const double* squares PP_DEFAULT(NULL);
  double maxNorm PP_DEFAULT(0);
} PpScaleClamp;

/* out[0] += factor * sum of a[i]*b[i], the sum in double precision and fixed order. */
typedef struct PpInnerProduct {
  const float* a;
  const float* b;
  int64_t count;
  float factor;
  float* out;
} PpInnerProduct;

#ifdef __cplusplus
}
#endif
#endif

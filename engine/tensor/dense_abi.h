/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_DENSE_ABI_H
#define PARAPET_ENGINE_TENSOR_DENSE_ABI_H

/* Matrix products and what is done to each element after them. */

#include "engine/tensor/call_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* GELU is x*Φ(x), GELU_TANH x/2 * (1 + tanh(√(2/π) * (x + 0.044715*x^3))), SILU x*σ(x). */
enum {
  PP_LINEAR = 0,
  PP_RELU = 1,
  PP_TANH = 2,
  PP_SIGMOID = 3,
  PP_GELU = 4,
  PP_GELU_TANH = 5,
  PP_SILU = 6
};

/* Whether the gradient of an activation reads its input x + bias; else it reads its output. */
static inline int32_t ppSlopesByInput(int32_t activation) {
  return activation >= PP_GELU;
}

/* c [m, n] = act(op(a) . op(b) + beta*c + bias), a and b rounded to the call's precision; op(x) is x
 * or its transpose; strides of the stored matrices. bias [n], null: none. The sum over k is complete
 * before the bias is added; with neither bias nor activation the sums are left as they are. */
typedef struct PpMatmul {
  int64_t m, n, k;
  int32_t transposeA PP_DEFAULT(0);
  int32_t transposeB PP_DEFAULT(0);
  const float* a;
  int64_t strideA;
  const float* b;
  int64_t strideB;
  float beta PP_DEFAULT(0);
  float* c;
  int64_t strideC;
  const float* bias PP_DEFAULT(NULL);
  int32_t activation PP_DEFAULT(PP_LINEAR);
} PpMatmul;

/* y = act(x + bias); bias may be null; y may be x where the gradient does not need x. */
typedef struct PpBiasActivation {
  int64_t rows, width;
  int32_t activation PP_DEFAULT(PP_LINEAR);
  const float* x;
  const float* bias PP_DEFAULT(NULL);
  float* y;
} PpBiasActivation;

/* dx = dy * act'(x + bias); dbias[d] = sum over rows of dx[:, d] (null: not wanted). dx may be
 * dy. x and bias are read where ppSlopesByInput, else y. dbias sums in the order of the rows. */
typedef struct PpBiasActivationGradient {
  int64_t rows, width;
  int32_t activation PP_DEFAULT(PP_LINEAR);
  const float* x;
  const float* bias PP_DEFAULT(NULL);
  const float* y;
  const float* dy;
  float* dx;
  float* dbias PP_DEFAULT(NULL);
} PpBiasActivationGradient;

/* y[i] = x[i]*scale, or 0 where draw(key, first + i) < dropBelow; y may be x. Its own gradient: applied
 * to dy with the same key. Neither the cut of a batch nor the workers change a draw, which is the top
 * 24 bits of output first + i of SplitMix64 for the seed key:
 *   z = key + (first + i + 1) * 0x9E3779B97F4A7C15
 *   z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
 *   z = (z ^ z>>27) * 0x94D049BB133111EB
 *   draw = (z ^ z>>31) >> 40 */
typedef struct PpDropout {
  int64_t count;
  const float* x;
  uint64_t key PP_DEFAULT(0);
  uint64_t first PP_DEFAULT(0);
  uint32_t dropBelow;
  float scale;
  float* y;
  const uint64_t* keyAt PP_DEFAULT(NULL); /* not null: key is there */
} PpDropout;

/* y[i] = sign(x[i]) * log(1 + |x[i]|), for counts and amounts whose sizes differ by powers of ten;
 * y may be x. */
typedef struct PpSignedLog {
  int64_t count;
  const float* x;
  float* y;
} PpSignedLog;

/* y[i] = the position of x[i] among the ascending knots, by (knots - 1): between two it is
 * interpolated, of a run of equal ones it is the middle, below the first 0, above the last
 * knots - 1; y may be x. values [knots], knots >= 2. */
typedef struct PpQuantile {
  int64_t count, knots;
  const float* x;
  const float* values;
  float* y;
} PpQuantile;

#ifdef __cplusplus
}
#endif
#endif

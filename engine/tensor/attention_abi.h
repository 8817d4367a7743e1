/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_ATTENTION_ABI_H
#define PARAPET_ENGINE_TENSOR_ATTENTION_ABI_H

/* Layers over ragged sequences.
 *
 * Sequence b, of `sequences`, has the positions offsets[b] … offsets[b+1]-1; offsets
 * [sequences + 1] need not begin at 0: arrays of positions point to position offsets[0], and have
 * `positions` = offsets[sequences] - offsets[0] rows. A sequence may be empty. Letters: P positions,
 * T length of a sequence, H heads. Gradients of positions are (+)= where `accumulate` says so. */

#include "engine/tensor/call_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Self-attention of each sequence, head by head. qkv [P, 3*H*width] holds the queries of all heads,
 * then their keys, then their values. Of head h, over the keys j of the sequence of query i (causal:
 * those up to i):
 *   s[i, j] = scale * q[i]·k[j];   p[i, j] = e^(s[i, j] - logSumExp[i, h])
 *   out[i, h, :] = sum over j of kept(i, j) * p[i, j] * v[j]
 * logSumExp [P, H] is that of s[i, :]; kept is 0 where
 * draw(key, (((first + b)*H + h)*maxLength + i)*maxLength + j) < dropBelow, else keptScale, with i and
 * j counted within the sequence and the draw of PpDropout; dropBelow 0: always keptScale, which is 1
 * then. `first` is what sequence 0 is in its batch, so that draws do not depend on how a batch is cut;
 * with dropBelow > 0 no sequence is longer than maxLength. Scores are made in tiles that stay in the
 * caches. Products are rounded as PpCall.precision says.
 * Source: Vaswani et al. 2017; tiles with a running softmax: Dao et al. 2022. */
typedef struct PpAttention {
  int64_t sequences, positions, heads, width;
  const int32_t* offsets;
  const float* qkv;
  int32_t causal PP_DEFAULT(0);
  float scale;
  uint64_t key PP_DEFAULT(0);
  uint64_t first PP_DEFAULT(0);
  int64_t maxLength PP_DEFAULT(1);
  uint32_t dropBelow PP_DEFAULT(0);
  float keptScale PP_DEFAULT(1);
  float* out;
  float* logSumExp;
  const uint64_t* keyAt PP_DEFAULT(NULL); /* not null: key is there */
} PpAttention;

/* dqkv [P, 3*H*width] from what the forward op read and wrote, and dout [P, H*width]; overwritten.
 * With g[i, j] = dout[i]·v[j], of each head:
 *   dv[j] = sum over i of kept*p*dout[i]
 *   ds[i, j] = scale * p * (kept*g - dout[i]·out[i])
 *   dq[i] = sum over j of ds*k[j];   dk[j] = sum over i of ds*q[i] */
typedef struct PpAttentionGradient {
  PpAttention forward;
  const float* dout;
  float* dqkv;
} PpAttentionGradient;

/* y[p, :] = x[p, :] + table[f + i, :] for position p = offsets[b] + i of a sequence of T <= tableRows
 * positions; f is 0, or fromEnd: tableRows - T. y may be x. */
typedef struct PpAddPositions {
  int64_t sequences, positions, width, tableRows;
  int32_t fromEnd PP_DEFAULT(0);
  const int32_t* offsets;
  const float* x;
  const float* table;
  float* y;
} PpAddPositions;

/* dtable[f + i, :] = sum of dy[offsets[b] + i, :] over the sequences longer than i, in their order, f
 * as in PpAddPositions; [tableRows, width], overwritten. */
typedef struct PpAddPositionsGradient {
  int64_t sequences, positions, width, tableRows;
  int32_t fromEnd PP_DEFAULT(0);
  const int32_t* offsets;
  const float* dy;
  float* dtable;
} PpAddPositionsGradient;

enum { PP_POOL_SUM = 0, PP_POOL_MEAN = 1, PP_POOL_LAST = 2, PP_POOL_WEIGHTED = 3 };

/* out[b, :] = sum of c[p]*x[p, :] over the positions of sequence b, in their order; zeros for an
 * empty one. c is 1 (SUM), 1/T (MEAN), 1 for the last position and 0 elsewhere (LAST), or
 * weights[p] (WEIGHTED; null otherwise). */
typedef struct PpPool {
  int32_t kind;
  int64_t sequences, positions, width;
  const int32_t* offsets;
  const float* x;
  const float* weights PP_DEFAULT(NULL);
  float* out;
} PpPool;

/* dx[p, :] (+)= c[p]*dout[b, :];  WEIGHTED: dweights[p] = x[p, :]·dout[b, :]. Either may be null; x is
 * read for dweights alone. SUM copies a row of each sequence to all of its positions. */
typedef struct PpPoolGradient {
  int32_t kind;
  int64_t sequences, positions, width;
  const int32_t* offsets;
  const float* x PP_DEFAULT(NULL);
  const float* weights PP_DEFAULT(NULL);
  const float* dout;
  float* dx PP_DEFAULT(NULL);
  int32_t accumulate PP_DEFAULT(0);
  float* dweights PP_DEFAULT(NULL);
} PpPoolGradient;

/* y[p] = e^x[p] / sum of e^x over the sequence of p; y may be x. */
typedef struct PpSoftmaxBySequence {
  int64_t sequences, positions;
  const int32_t* offsets;
  const float* x;
  float* y;
} PpSoftmaxBySequence;

/* dx[p] = y[p] * (dy[p] - sum of y*dy over the sequence of p); dx may be dy. */
typedef struct PpSoftmaxBySequenceGradient {
  int64_t sequences, positions;
  const int32_t* offsets;
  const float* y;
  const float* dy;
  float* dx;
} PpSoftmaxBySequenceGradient;

#ifdef __cplusplus
}
#endif
#endif

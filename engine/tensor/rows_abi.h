/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_ROWS_ABI_H
#define PARAPET_ENGINE_TENSOR_ROWS_ABI_H

/* Ops that look rows up, move them and multiply them row by row. */

#include "engine/tensor/call_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = value, i = 0 … count-1. */
typedef struct PpFill {
  float* out;
  int64_t count;
  float value;
} PpFill;

/* out[n, :] = table[rows[n], :], rows [count] in [0, tableRows). */
typedef struct PpGatherRows {
  const float* table;
  int64_t tableRows, width;
  const int32_t* rows;
  int64_t count;
  float* out;
} PpGatherRows;

/* out[rows[n], :] = in[n, :], in [count, width]; rows are distinct. Other rows of out
 * [outRows, width] stay. */
typedef struct PpReplaceRows {
  int64_t outRows, width;
  const int32_t* rows;
  int64_t count;
  const float* in;
  float* out;
} PpReplaceRows;

/* out[rows[n], :] += in[n, :] in the order of n, in [count, width]; unless `accumulate`, out
 * [outRows, width] is zero before. */
typedef struct PpScatterRows {
  int64_t outRows, width;
  const int32_t* rows;
  int64_t count;
  const float* in;
  int32_t accumulate PP_DEFAULT(0);
  float* out;
} PpScatterRows;

/* Groups the values of a batch by the row they name. rows [count] in [0, tableRows).
 * groupRows[u], u = 0 … groupCount-1, are the distinct rows, in an order that depends on rows
 * alone. The values n with rows[n] == groupRows[u] are first[u], next[first[u]], … until -1,
 * ascending. indexOfRow [tableRows] is -1 everywhere on entry and on return; groupRows, first, next
 * and scratch have room for count elements; groupCount is a single one. */
typedef struct PpGroupRows {
  const int32_t* rows;
  int64_t count;
  int64_t tableRows;
  int32_t* indexOfRow;
  int32_t* scratch;
  int32_t* groupRows;
  int32_t* first;
  int32_t* next;
  int64_t* groupCount;
} PpGroupRows;

/* out[b, :] = sum of scales[n] * table[rows[n], :] over the values n of bag b, in their order; an
 * empty bag gives zeros. Bag b has the values offsets[b] … offsets[b+1]-1 [bags + 1]; offsets need
 * not begin at 0: rows and scales point to value offsets[0]. offsets null: value b is the only one
 * of bag b. scales null: 1. */
typedef struct PpBagRows {
  const float* table;
  int64_t tableRows, width;
  const int32_t* rows;
  const int32_t* offsets PP_DEFAULT(NULL);
  const float* scales PP_DEFAULT(NULL);
  int64_t bags;
  float* out;
} PpBagRows;

enum { PP_MEAN = 0, PP_SUM = 1, PP_SQRTN = 2 };

/* The factor of each value of PpBagRows: scales[n] = w[n] / divisor of n's bag, which is sum w
 * (mean), 1 (sum) or sqrt(sum w^2) (sqrtn); 0 where the divisor is 0. weights null: 1. weights and
 * scales point to value offsets[0]; scales may be weights.
 * Source: keras-rs EmbedReduce (divide_no_nan). */
typedef struct PpBagScales {
  int32_t combiner;
  const int32_t* offsets;
  const float* weights PP_DEFAULT(NULL);
  int64_t bags;
  float* scales;
} PpBagScales;

/* out[b] = sum_d x[xRows[b], d] * y[yRows[b], d]; xRows null: b itself, else rows of a table of
 * xTableRows; y likewise. copyX [rows, width], if not null, gets the rows of x. */
typedef struct PpDotRows {
  int64_t rows, width;
  const float* x;
  const int32_t* xRows PP_DEFAULT(NULL);
  int64_t xTableRows PP_DEFAULT(0);
  const float* y;
  const int32_t* yRows PP_DEFAULT(NULL);
  int64_t yTableRows PP_DEFAULT(0);
  float* copyX PP_DEFAULT(NULL);
  float* out;
} PpDotRows;

/* dx[b, :] (+)= dout[b] * y[b, :] ; dy[b, :] (+)= dout[b] * x[b, :] ; either may be null. */
typedef struct PpDotRowsGradient {
  int64_t rows, width;
  const float* x;
  const float* y;
  const float* dout;
  float* dx PP_DEFAULT(NULL);
  int32_t accumulateX PP_DEFAULT(0);
  float* dy PP_DEFAULT(NULL);
  int32_t accumulateY PP_DEFAULT(0);
} PpDotRowsGradient;

/* out[b, 0..width) (+)= in[b, 0..width), with row strides: concatenation and its gradient. */
typedef struct PpCopyColumns {
  int64_t rows, width;
  const float* in;
  int64_t strideIn;
  float* out;
  int64_t strideOut;
  int32_t accumulate PP_DEFAULT(0);
} PpCopyColumns;

/* out[i] = Σ_p in[p][i], p = 0 … parts-1 in this order; out may be in[0]. */
typedef struct PpSumParts {
  int64_t count;
  int32_t parts;
  const float* const* in;
  float* out;
} PpSumParts;

/* Offers a score to the host and gets the smallest score that is still wanted of this query. */
typedef float (*PpOffer)(void* context, int64_t query, int64_t candidate, float score);

/* Scores score[q, v] = sum_d queries[q, d] * candidates[v, d]; every one that is not below the
 * query's threshold (a NaN never is) is offered, in any order. thresholds [queryCount] are the
 * host's, read and written. Returns when all have been offered, on the calling thread alone. No score
 * is written out. */
typedef struct PpScanScores {
  int64_t queryCount, candidateCount, width;
  const float* queries;
  const float* candidates;
  float* thresholds;
  PpOffer offer;
  void* offerContext;
} PpScanScores;

/* The k greatest of s[q, v] = queries[q]·candidates[v] + bias[v] of each query, greatest first, of
 * equal ones the lowest v: rows [queryCount, k], scores [queryCount, k]. Beyond candidateCount, and
 * in place of a NaN, row -1 and score -inf. normalised: scores are s less the logarithm of the sum
 * of e^s over all candidates. bias null: 0. Products are rounded as PpCall.precision says. */
typedef struct PpTopK {
  int64_t queryCount, candidateCount, width, k;
  const float* queries;
  const float* candidates;
  const float* bias PP_DEFAULT(NULL);
  int32_t normalised PP_DEFAULT(0);
  int32_t* rows;
  float* scores;
} PpTopK;

#ifdef __cplusplus
}
#endif
#endif

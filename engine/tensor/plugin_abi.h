/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_PLUGIN_ABI_H
#define PARAPET_ENGINE_TENSOR_PLUGIN_ABI_H

/* The border between the engine and what computes: a C table of function pointers per device kind.
 *
 * The linked-in CPU backend and every plugin fill the same table. A plugin exports three symbols
 * and nothing else: parapet_plugin_abi, parapet_plugin_build_tag (both read before any other call)
 * and parapet_plugin. Tables grow at their end only; a reader checks structSize before it uses a
 * slot.
 *
 * Every op gets raw 64-byte-aligned pointers into the device's memory, counts, a stream and the
 * host's parallelFor. It starts no thread, allocates nothing and returns PP_OK or an error code
 * whose text lastError gives. Arguments have been checked by the caller (engine/tensor/ops). Counts
 * may be 0.
 *
 * Letters: B batch, V vocabulary, D width, N ids, U distinct rows. All matrices are row-major. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PP_ABI_VERSION 1u

enum { PP_OK = 0, PP_FAILED = 1, PP_OUT_OF_MEMORY = 2, PP_UNSUPPORTED = 3 };
enum { PP_MEMORY_HOST = 0, PP_MEMORY_DEVICE = 1 };
enum { PP_PRECISION_FP32 = 0, PP_PRECISION_BF16 = 1 };
enum { PP_LINEAR = 0, PP_RELU = 1, PP_TANH = 2, PP_SIGMOID = 3, PP_GELU = 4 };
enum { PP_PAIR_HINGE = 0, PP_PAIR_LOGISTIC = 1, PP_PAIR_SOFT_ZERO_ONE = 2, PP_PAIR_SQUARED = 3 };

/* Calls body(argument, block) for block = 0 … blocks-1, on whatever workers the host has. */
typedef void (*PpParallelFor)(void* context, int64_t blocks,
                              void (*body)(void* argument, int64_t block), void* argument);

typedef struct PpCall {
  uint32_t structSize;
  int32_t precision;
  void* stream;
  void* workspace; /* at least workspaceBytes(op, …) of the table, device memory */
  uint64_t workspaceBytes;
  PpParallelFor parallelFor;
  void* parallelContext;
  uint64_t rngSeed, rngCounter;
} PpCall;

typedef struct PpFill {
  float* out;
  int64_t count;
  float value;
} PpFill;

/* out[n, :] = table[rows[n], :] */
typedef struct PpGatherRows {
  const float* table;
  int64_t tableRows, width;
  const int32_t* rows;
  int64_t count;
  float* out;
} PpGatherRows;

/* Groups the values of a batch by the row they name. rows [count] in [0, tableRows).
 * groupRows[u], u = 0 … groupCount-1, are the distinct rows, in an order that depends on rows
 * alone. The values n with rows[n] == groupRows[u] are first[u], next[first[u]], … until -1,
 * ascending. indexOfRow [tableRows] is -1 everywhere on entry and on return; groupRows, first, next
 * and scratch have room for count elements. */
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

/* A parameter [tableRows, width] and its gradient.
 * rows null: every row has one; grad [tableRows, width], count == tableRows, all else null.
 * rows [count] distinct: row rows[u] has the gradient
 *     sum of scale[n] * grad[gradRows[n], :]  over n = first[u], next[first[u]], … until -1,
 * in this order; first null: over n = u alone; scale null: 1; gradRows null: n. So equal ids of a
 * batch are merged while they are applied, and the gradient of a row-wise dot product is never
 * written out. */
typedef struct PpUpdateTarget {
  float* weight;
  int64_t tableRows, width;
  const int32_t* rows;
  int64_t count;
  const float* grad;
  const int32_t* first;
  const int32_t* next;
  const float* scale;
  const int32_t* gradRows;
  int64_t terms;      /* terms of all rows together; count where first is null */
  int32_t* nonFinite; /* host memory, may be null: set to 1 if an updated weight is not finite */
} PpUpdateTarget;

/* velocity null: w -= lr*g.  Else v = momentum*v - lr*g, w += v (Keras). everyRow: rows without a
 * gradient take part with g = 0; indexOfRow as in PpGroupRows. */
typedef struct PpSgd {
  PpUpdateTarget target;
  float learningRate, momentum;
  float* velocity;
  int32_t everyRow;
  int32_t* indexOfRow;
} PpSgd;

/* acc += g*g; w -= lr*g / sqrt(acc + eps)  (epsilonInsideRoot)  or  lr*g / (sqrt(acc) + eps) */
typedef struct PpAdagrad {
  PpUpdateTarget target;
  float learningRate, epsilon;
  int32_t epsilonInsideRoot;
  float* accumulator;
} PpAdagrad;

/* One accumulator per row [tableRows]: acc += mean over d of g*g; then w as in PpAdagrad.
 * meanSquares [count]: the means of the target's rows, where the target has some of their columns
 * only; null: its own. */
typedef struct PpRowwiseAdagrad {
  PpUpdateTarget target;
  float learningRate, epsilon;
  int32_t epsilonInsideRoot;
  float* accumulator;
  const float* meanSquares;
} PpRowwiseAdagrad;

/* m = b1*m + (1-b1)*g; v = b2*v + (1-b2)*g*g; w -= stepSize * m / (sqrt(v)*rootScale + eps).
 * The caller folds the bias correction into stepSize and rootScale. */
typedef struct PpAdam {
  PpUpdateTarget target;
  float stepSize, rootScale, beta1, beta2, epsilon;
  float* moment;
  float* variance;
  int32_t everyRow;
  int32_t* indexOfRow;
} PpAdam;

/* c [m, n] = op(a) . op(b) + beta*c, a and b rounded to the call's precision; op(x) is x or its
 * transpose; strides of the stored matrices. */
typedef struct PpMatmul {
  int64_t m, n, k;
  int32_t transposeA, transposeB;
  const float* a;
  int64_t strideA;
  const float* b;
  int64_t strideB;
  float beta;
  float* c;
  int64_t strideC;
} PpMatmul;

/* y = act(x + bias); bias may be null; y may be x. */
typedef struct PpBiasActivation {
  int64_t rows, width;
  int32_t activation;
  const float* x;
  const float* bias;
  float* y;
} PpBiasActivation;

/* dx = dy * act'(x + bias); dbias[d] = sum over rows of dx[:, d] (null: not wanted). dx may be
 * dy. */
typedef struct PpBiasActivationGradient {
  int64_t rows, width;
  int32_t activation;
  const float* x;
  const float* bias;
  const float* y;
  const float* dy;
  float* dx;
  float* dbias;
} PpBiasActivationGradient;

/* out[b] = sum_d x[xRows[b], d] * y[yRows[b], d]; xRows null: b itself, else rows of a table of
 * xTableRows; y likewise. copyX [rows, width], if not null, gets the rows of x. */
typedef struct PpDotRows {
  int64_t rows, width;
  const float* x;
  const int32_t* xRows;
  int64_t xTableRows;
  const float* y;
  const int32_t* yRows;
  int64_t yTableRows;
  float* copyX;
  float* out;
} PpDotRows;

/* dx[b, :] (+)= dout[b] * y[b, :] ; dy[b, :] (+)= dout[b] * x[b, :] ; either may be null. */
typedef struct PpDotRowsGradient {
  int64_t rows, width;
  const float* x;
  const float* y;
  const float* dout;
  float* dx;
  int32_t accumulateX;
  float* dy;
  int32_t accumulateY;
} PpDotRowsGradient;

/* sums[0] = Σ w (p-y)^2, sums[1] = Σ w |p-y|, sums[2] = Σ w, in fixed order, in double precision;
 * gradient[b] = gradientScale * 2 w (p-y) (null: not wanted). weight null: all 1.
 * sums: host memory. */
typedef struct PpSquaredError {
  int64_t rows;
  const float* prediction;
  const float* label;
  const float* weight;
  float gradientScale;
  float* gradient;
  double* sums;
} PpSquaredError;

/* out[b, 0..width) (+)= in[b, 0..width), with row strides: concatenation and its gradient. */
typedef struct PpCopyColumns {
  int64_t rows, width;
  const float* in;
  int64_t strideIn;
  float* out;
  int64_t strideOut;
  int32_t accumulate;
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
 * query's threshold (a NaN never is) is offered, in any order. thresholds [queryCount] is read and
 * written. On the calling thread alone. */
typedef struct PpScanScores {
  int64_t queryCount, candidateCount, width;
  const float* queries;
  const float* candidates;
  float* thresholds;
  PpOffer offer;
  void* offerContext;
} PpScanScores;

/* Follow-the-regularised-leader: a = acc + g*g, p = -learningRatePower,
 *   linear += g - (a^p - acc^p)/lr * w
 *   w = (clamp(linear, -l1, l1) - linear) / (a^p/lr + 2*l2 + beta/lr)
 *   acc = a
 * A row without gradient stays as it is. */
typedef struct PpFtrl {
  PpUpdateTarget target;
  float learningRate, learningRatePower, l1, l2, beta;
  float* accumulator;
  float* linear;
} PpFtrl;

/* w[row, :] -= factor * w[row, :] for the distinct rows [count]; rows null: every row, count ==
 * tableRows. */
typedef struct PpDecayRows {
  float* weight;
  int64_t tableRows, width;
  const int32_t* rows;
  int64_t count;
  float factor;
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
  int32_t accumulate;
} PpMeanSquares;

/* sum[0] += sum of in[i]^2 in double precision, in fixed order. sum: host memory. */
typedef struct PpSumSquares {
  const float* in;
  int64_t count;
  double* sum;
} PpSumSquares;

/* values[i] = clamp(values[i] * factor, -limit, limit); limit may be infinite. NaN stays NaN. */
typedef struct PpScaleClamp {
  float* values;
  int64_t count;
  float factor, limit;
} PpScaleClamp;

/* Cross entropy of σ(logit) and a label in [0, 1]: *sum = Σ w·(max(s, 0) − s·y + log(1 + e^−|s|))
 * in fixed order, in double precision; gradient[b] = gradientScale * w * (σ(s) − y) (null: not
 * wanted). weight null: all 1. sum: host memory. */
typedef struct PpLogisticLoss {
  int64_t rows;
  const float* logit;
  const float* label;
  const float* weight;
  float gradientScale;
  float* gradient;
  double* sum;
} PpLogisticLoss;

/* With d = (score[i] − score[j]) / temperature, over the pairs (i, j) of a list with label[i] >
 * label[j] (PP_PAIR_SQUARED: over all i ≠ j), rows with a label below 0 left out:
 *   HINGE          max(0, 1 − d)
 *   LOGISTIC       log(1 + e^−d)
 *   SOFT_ZERO_ONE  1 − σ(d)
 *   SQUARED        (label[i] − label[j] − d)²
 * *sum = Σ w[i]·loss(i, j); gradient = gradientScale · d(*sum)/d(score). List l has the rows
 * [lists[l], lists[l + 1]); every row is in one. Null pointers and sum as in PpLogisticLoss. */
typedef struct PpPairLoss {
  int32_t kind;
  const int32_t* lists;
  int64_t listCount;
  const float* score;
  const float* label;
  const float* weight;
  float temperature;
  float gradientScale;
  float* gradient;
  double* sum;
} PpPairLoss;

/* Of a list's rows with a label of at least 0, by label descending (ties: earlier rows first), with
 * s = score / temperature:  *sum = Σ_i w[i]·(log(Σ_{j ≥ i} e^{s_j − m} + 1e-10) − (s_i − m)), m the
 * greatest s of the list. The rest as in PpPairLoss; order has room for an element per row. */
typedef struct PpListMle {
  const int32_t* lists;
  int64_t listCount;
  const float* score;
  const float* label;
  const float* weight;
  float temperature;
  float gradientScale;
  int32_t* order;
  float* gradient;
  double* sum;
} PpListMle;

enum { PP_NEGATIVES_SOFTMAX = 0, PP_NEGATIVES_BPR = 1 };

/* Each query's own candidate against negatives. Query b of group g (rows groups[g] … groups[g+1]-1)
 * has candidate b as its own. Its negatives N(b) are the other candidates of its group, where
 * inBatch, and those from `rows` on, which all queries meet; with sameItem those on the ring
 * b → sameItem[b] → … → b, which are the same item, are left out; with hardest > 0 only so many of
 * the highest s[b, j] stay (ties: the lowest j). With f[b, j] = queries[b]·candidates[j] / temperature:
 *   SOFTMAX   s[b, j] = f[b, j] − shift[j],  own[b] = f[b, b] − ownShift[b]
 *             loss[b] = log(e^own[b] + Σ_{j ∈ N(b)} e^s[b, j]) − own[b]
 *   BPR       s[b, j] = f[b, j];  loss[b] = Σ_{j ∈ N(b)} log(1 + e^(s[b, j] − f[b, b])) / |N(b)|
 *   *sum = Σ_b w[b]·loss[b], in double precision and fixed order
 * dQueries [rows, width], dCandidates [candidateRows, width] = gradientScale · d(*sum)/d(…); either
 * may be null. groups null: one group. shift [candidateRows], ownShift [rows], weight null: 0, 0, 1.
 * scratch: see ppNegativesBlocks. Products are rounded as PpCall.precision says. */
typedef struct PpNegativesLoss {
  int32_t kind;
  int64_t rows, candidateRows, width;
  const float* queries;
  const float* candidates;
  const float* weight;
  const int32_t* groups;
  int64_t groupCount;
  int32_t inBatch;
  const int32_t* sameItem;
  const float* shift;
  const float* ownShift;
  int64_t hardest;
  float temperature;
  float gradientScale;
  float* scratch;
  float* dQueries;
  float* dCandidates;
  double* sum;
} PpNegativesLoss;

/* How PpNegativesLoss cuts its work, so that no bit depends on the workers: blocks of so many
 * queries, whose scores are made once and whole, dealt out to so many parts. Each part has room for
 * the scores of a block, its queries once more, two lines, and a gradient of all candidates;
 * together they stay below PP_NEGATIVES_ELEMENTS (48 MiB) where one part does. */
typedef struct PpNegativesBlocks {
  int64_t blockRows, parts;
  int64_t partElements;
} PpNegativesBlocks;

#define PP_NEGATIVES_ELEMENTS INT64_C(12582912)
#define PP_NEGATIVES_SCORES INT64_C(2097152)
#define PP_NEGATIVES_PARTS INT64_C(8)
#define PP_NEGATIVES_MIN_ROWS INT64_C(16)
#define PP_NEGATIVES_MAX_ROWS INT64_C(256)

static inline int64_t ppNegativesRows(int64_t rows) {
  const int64_t each = (rows / PP_NEGATIVES_PARTS + 16) / 16 * 16;
  return each < PP_NEGATIVES_MAX_ROWS ? each : PP_NEGATIVES_MAX_ROWS;
}

static inline PpNegativesBlocks ppNegativesBlocks(int64_t rows, int64_t candidateRows,
                                                  int64_t width) {
  PpNegativesBlocks made;
  const int64_t stride = candidateRows + 16;
  const int64_t fitting = PP_NEGATIVES_SCORES / stride / 16 * 16;
  int64_t blocks;
  made.blockRows = ppNegativesRows(rows);
  if (made.blockRows > fitting)
    made.blockRows = fitting > PP_NEGATIVES_MIN_ROWS ? fitting : PP_NEGATIVES_MIN_ROWS;
  made.partElements =
      ((made.blockRows + 2) * stride + (made.blockRows + candidateRows) * width + 15) / 16 * 16;
  blocks = (rows + made.blockRows - 1) / made.blockRows;
  made.parts = PP_NEGATIVES_ELEMENTS / made.partElements;
  if (made.parts > PP_NEGATIVES_PARTS) made.parts = PP_NEGATIVES_PARTS;
  if (made.parts > blocks) made.parts = blocks;
  if (made.parts < 1) made.parts = 1;
  return made;
}

/* Elements of scratch for up to so many rows: at most those of all parts, or of a single one. */
static inline int64_t ppNegativesScratch(int64_t rows, int64_t candidateRows, int64_t width) {
  const int64_t stride = candidateRows + 16, most = ppNegativesRows(rows);
  int64_t scores = most * stride, part;
  if (scores > PP_NEGATIVES_SCORES)
    scores = PP_NEGATIVES_SCORES > PP_NEGATIVES_MIN_ROWS * stride ? PP_NEGATIVES_SCORES
                                                                  : PP_NEGATIVES_MIN_ROWS * stride;
  part = scores + 2 * stride + (most + candidateRows) * width + 16;
  if (part > PP_NEGATIVES_ELEMENTS) return part;
  return PP_NEGATIVES_PARTS * part < PP_NEGATIVES_ELEMENTS ? PP_NEGATIVES_PARTS * part
                                                           : PP_NEGATIVES_ELEMENTS;
}

/* out[b, :] = sum of scales[n] * table[rows[n], :] over the values n of bag b, in their order; an
 * empty bag gives zeros. Bag b has the values offsets[b] … offsets[b+1]-1 [bags + 1]; offsets need
 * not begin at 0: rows and scales point to value offsets[0]. offsets null: value b is the only one
 * of bag b. scales null: 1. */
typedef struct PpBagRows {
  const float* table;
  int64_t tableRows, width;
  const int32_t* rows;
  const int32_t* offsets;
  const float* scales;
  int64_t bags;
  float* out;
} PpBagRows;

enum { PP_MEAN = 0, PP_SUM = 1, PP_SQRTN = 2 };

/* The factor of each value of PpBagRows: scales[n] = w[n] / divisor of n's bag, which is sum w
 * (mean), 1 (sum) or sqrt(sum w^2) (sqrtn); 0 where the divisor is 0. weights null: 1. weights and
 * scales point to value offsets[0]. */
typedef struct PpBagScales {
  int32_t combiner;
  const int32_t* offsets;
  const float* weights;
  int64_t bags;
  float* scales;
} PpBagScales;

/* y = x0 ⊙ (u + diagScale*x) + x, all [rows, width]; x0 may be x. */
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
  float* dx0;
  int32_t accumulateX0;
  float* dx;
  int32_t accumulateX;
  float* du;
} PpCrossGradient;

/* out[b, :] = in[i][b, :] · in[j][b, :] for i = 0 … parts-1, j = 0 … i-1 and, with self, j = i, in
 * this order. in[i] [rows, width]. */
typedef struct PpDotInteraction {
  int64_t rows, width;
  int32_t parts, self;
  const float* const* in;
  float* out;
} PpDotInteraction;

/* dIn[i][b, :] (+)= sum over the pairs {i, j} of dout[b, {i, j}] * in[j][b, :], in the order of j;
 * the pair {i, i} counts twice. Any dIn[i] may be null; it is added to where accumulate[i]. */
typedef struct PpDotInteractionGradient {
  int64_t rows, width;
  int32_t parts, self;
  const float* const* in;
  const float* dout;
  float* const* dIn;
  const int32_t* accumulate;
} PpDotInteractionGradient;

/* y[i] = x[i]*scale, or 0 where draw(key, first + i) < dropBelow; y may be x. The draw is the top
 * 24 bits of output first + i of SplitMix64 for the seed key:
 *   z = key + (first + i + 1) * 0x9E3779B97F4A7C15
 *   z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
 *   z = (z ^ z>>27) * 0x94D049BB133111EB
 *   draw = (z ^ z>>31) >> 40 */
typedef struct PpDropout {
  int64_t count;
  const float* x;
  uint64_t key, first;
  uint32_t dropBelow;
  float scale;
  float* y;
} PpDropout;

/* y[b, :] = gamma ⊙ (x[b, :] - mean) / sqrt(variance + eps) + beta; mean and (biased) variance of
 * the row. */
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
  float* dx;
  float* dgamma;
  float* dbeta;
} PpLayerNormGradient;

/* y = gamma ⊙ (x - mean) / sqrt(variance + eps) + beta. useBatch: mean and (biased) variance of
 * each column over the rows (at least 1), in double precision and fixed order; after that
 * movingMean = momentum*movingMean + (1 - momentum)*mean, movingVariance likewise. Else the moving
 * ones are used and left as they are. */
typedef struct PpBatchNorm {
  int64_t rows, width;
  const float* x;
  const float* gamma;
  const float* beta;
  float epsilon, momentum;
  int32_t useBatch;
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
  float* dx;
  float* dgamma;
  float* dbeta;
} PpBatchNormGradient;

/* A batch norm whose rows lie in several memories: each sums over its own rows, and between the ops
 * the sums are added up over all of them. With S1, S2 the sums over all `batchRows` rows,
 *   mean = S1/batchRows, variance = S2/batchRows, h as above. Sums are [width]. */

/* center null: sums = sum of x over the rows; else of (x - center/batchRows)^2. */
typedef struct PpBatchMoments {
  int64_t rows, width, batchRows;
  const float* x;
  const double* center;
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
  float* dgamma;
  float* dbeta;
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

/* y[b, :] = x[b, :] / sqrt(max(Σ_d x[b, d]^2, epsilon)); y may be x. */
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

/* y[i] = sign(x[i]) * log(1 + |x[i]|); y may be x. */
typedef struct PpSignedLog {
  int64_t count;
  const float* x;
  float* y;
} PpSignedLog;

typedef struct PpOps {
  uint32_t structSize;
  int32_t (*fill)(const PpCall*, const PpFill*);
  int32_t (*gatherRows)(const PpCall*, const PpGatherRows*);
  int32_t (*groupRows)(const PpCall*, const PpGroupRows*);
  int32_t (*sgd)(const PpCall*, const PpSgd*);
  int32_t (*adagrad)(const PpCall*, const PpAdagrad*);
  int32_t (*rowwiseAdagrad)(const PpCall*, const PpRowwiseAdagrad*);
  int32_t (*adam)(const PpCall*, const PpAdam*);
  int32_t (*matmul)(const PpCall*, const PpMatmul*);
  int32_t (*biasActivation)(const PpCall*, const PpBiasActivation*);
  int32_t (*biasActivationGradient)(const PpCall*, const PpBiasActivationGradient*);
  int32_t (*dotRows)(const PpCall*, const PpDotRows*);
  int32_t (*dotRowsGradient)(const PpCall*, const PpDotRowsGradient*);
  int32_t (*squaredError)(const PpCall*, const PpSquaredError*);
  int32_t (*copyColumns)(const PpCall*, const PpCopyColumns*);
  int32_t (*sumParts)(const PpCall*, const PpSumParts*);
  int32_t (*scanScores)(const PpCall*, const PpScanScores*);
  int32_t (*ftrl)(const PpCall*, const PpFtrl*);
  int32_t (*decayRows)(const PpCall*, const PpDecayRows*);
  int32_t (*mergeRows)(const PpCall*, const PpMergeRows*);
  int32_t (*sumSquares)(const PpCall*, const PpSumSquares*);
  int32_t (*scaleClamp)(const PpCall*, const PpScaleClamp*);
  int32_t (*logisticLoss)(const PpCall*, const PpLogisticLoss*);
  int32_t (*pairLoss)(const PpCall*, const PpPairLoss*);
  int32_t (*listMle)(const PpCall*, const PpListMle*);
  int32_t (*negativesLoss)(const PpCall*, const PpNegativesLoss*);
  int32_t (*bagRows)(const PpCall*, const PpBagRows*);
  int32_t (*bagScales)(const PpCall*, const PpBagScales*);
  int32_t (*cross)(const PpCall*, const PpCross*);
  int32_t (*crossGradient)(const PpCall*, const PpCrossGradient*);
  int32_t (*dotInteraction)(const PpCall*, const PpDotInteraction*);
  int32_t (*dotInteractionGradient)(const PpCall*, const PpDotInteractionGradient*);
  int32_t (*dropout)(const PpCall*, const PpDropout*);
  int32_t (*layerNorm)(const PpCall*, const PpLayerNorm*);
  int32_t (*layerNormGradient)(const PpCall*, const PpLayerNormGradient*);
  int32_t (*batchNorm)(const PpCall*, const PpBatchNorm*);
  int32_t (*batchNormGradient)(const PpCall*, const PpBatchNormGradient*);
  int32_t (*signedLog)(const PpCall*, const PpSignedLog*);
  int32_t (*meanSquares)(const PpCall*, const PpMeanSquares*);
  int32_t (*l2Normalize)(const PpCall*, const PpL2Normalize*);
  int32_t (*l2NormalizeGradient)(const PpCall*, const PpL2NormalizeGradient*);
  int32_t (*batchMoments)(const PpCall*, const PpBatchMoments*);
  int32_t (*batchNormOfMoments)(const PpCall*, const PpBatchNormOfMoments*);
  int32_t (*batchNormGradientSums)(const PpCall*, const PpBatchNormGradientSums*);
  int32_t (*batchNormGradientOfSums)(const PpCall*, const PpBatchNormGradientOfSums*);
} PpOps;

/* One device of a backend. */
typedef struct PpDevice {
  uint32_t structSize;
  const char* kind; /* "cpu", "cuda" */
  int32_t memoryKind;
  const PpOps* ops;
  void* (*allocate)(int32_t index, uint64_t bytes); /* 64-byte aligned; null: out of memory */
  void (*release)(int32_t index, void* memory);
  int32_t (*copyToDevice)(void* stream, void* out, const void* in, uint64_t bytes);
  int32_t (*copyToHost)(void* stream, void* out, const void* in, uint64_t bytes);
  void* (*recordEvent)(void* stream); /* null where everything is synchronous */
  int32_t (*waitEvent)(void* stream, void* event);
  uint64_t (*workspaceBytes)(size_t opOffset, const int64_t* capacities, int32_t count);
  uint64_t (*memoryBytes)(int32_t index);
  const char* (*lastError)(void);
} PpDevice;

typedef struct PpPlugin {
  uint32_t structSize;
  const char* name;
  const char* instructionSet;
  int32_t (*probe)(char* reason, size_t reasonBytes); /* PP_OK, or PP_UNSUPPORTED and why */
  int32_t (*deviceCount)(void);
  const PpDevice* device;
} PpPlugin;

/* uint32_t parapet_plugin_abi(void); const char* parapet_plugin_build_tag(void);
 * const PpPlugin* parapet_plugin(void); */

/* The portable kernels, as the engine links them in. A CPU plugin compiles the same sources for its
 * instruction set, and begins with their table. */
const PpDevice* parapet_portable_cpu(void);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PARAPET_ENGINE_TENSOR_LOSSES_ABI_H
#define PARAPET_ENGINE_TENSOR_LOSSES_ABI_H

/* Losses: their sums, in the device's memory, and the gradients of what they read. */

#include "engine/tensor/call_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sums[0] += Σ w (p-y)^2, sums[1] += Σ w |p-y|, sums[2] += Σ w, in fixed order, in double precision;
 * gradient[b] = gradientScale * 2 w (p-y) (null: not wanted). weight null: all 1. gradientScale is 1/B
 * of the global batch for a mean loss, so that the gradients of ranks add up. */
typedef struct PpSquaredError {
  int64_t rows;
  const float* prediction;
  const float* label;
  const float* weight PP_DEFAULT(NULL);
  float gradientScale PP_DEFAULT(0);
  float* gradient PP_DEFAULT(NULL);
  double* sums;
} PpSquaredError;

/* Cross entropy of σ(logit) and a label in [0, 1]: *sum += Σ w·(max(s, 0) − s·y + log(1 + e^−|s|))
 * in fixed order, in double precision; gradient[b] = gradientScale * w * (σ(s) − y) (null: not
 * wanted). weight null: all 1. */
typedef struct PpLogisticLoss {
  int64_t rows;
  const float* logit;
  const float* label;
  const float* weight PP_DEFAULT(NULL);
  float gradientScale PP_DEFAULT(0);
  float* gradient PP_DEFAULT(NULL);
  double* sum;
} PpLogisticLoss;

enum { PP_PAIR_HINGE = 0, PP_PAIR_LOGISTIC = 1, PP_PAIR_SOFT_ZERO_ONE = 2, PP_PAIR_SQUARED = 3 };

/* With d = (score[i] − score[j]) / temperature, over the pairs (i, j) of a list with label[i] >
 * label[j] (PP_PAIR_SQUARED: over all i ≠ j), rows with a label below 0 left out:
 *   HINGE          max(0, 1 − d)
 *   LOGISTIC       log(1 + e^−d)
 *   SOFT_ZERO_ONE  1 − σ(d)
 *   SQUARED        (label[i] − label[j] − d)²
 * *sum += Σ w[i]·loss(i, j); gradient = gradientScale · d(that)/d(score). List l has the rows
 * [lists[l], lists[l + 1]), ascending from 0; every row is in one. Null pointers as in PpLogisticLoss.
 * gradientScale is 1/B for Keras's mean: its losses have a value per row.
 * Source: keras-rs, keras_rs.losses.Pairwise*Loss. */
typedef struct PpPairLoss {
  int32_t kind;
  const int32_t* lists;
  int64_t listCount;
  const float* score;
  const float* label;
  const float* weight PP_DEFAULT(NULL);
  float temperature PP_DEFAULT(1);
  float gradientScale PP_DEFAULT(0);
  float* gradient PP_DEFAULT(NULL);
  double* sum;
} PpPairLoss;

/* Of a list's rows with a label of at least 0, by label descending (ties: earlier rows first), with
 * s = score / temperature:  *sum += Σ_i w[i]·(log(Σ_{j ≥ i} e^{s_j − m} + 1e-10) − (s_i − m)), m the
 * greatest s of the list. The rest as in PpPairLoss; order has room for an element per row.
 * With weights of 1 there is a value per list: gradientScale is 1/lists for Keras's mean.
 * Source: keras-rs, keras_rs.losses.ListMLELoss (weights of rows are ours). */
typedef struct PpListMle {
  const int32_t* lists;
  int64_t listCount;
  const float* score;
  const float* label;
  const float* weight PP_DEFAULT(NULL);
  float temperature PP_DEFAULT(1);
  float gradientScale PP_DEFAULT(0);
  int32_t* order;
  float* gradient PP_DEFAULT(NULL);
  double* sum;
} PpListMle;

enum { PP_NEGATIVES_SOFTMAX = 0, PP_NEGATIVES_BPR = 1, PP_NEGATIVES_BCE = 2, PP_NEGATIVES_CCL = 3 };

/* Each query's own candidate against negatives. Query b of group g (rows groups[g] … groups[g+1]-1)
 * has candidate b as its own. Its negatives N(b) are the other candidates of its group, where
 * inBatch, and those from `rows` on, which all queries meet; with sameItem those on the ring
 * b → sameItem[b] → … → b, which are the same item, are left out, and with sameUser those on its
 * ring, which are of the same user; with hardest > 0 only so many of the highest s[b, j] stay (ties:
 * the lowest j). With f[b, j] = queries[b]·candidates[j] / temperature:
 *   SOFTMAX   s[b, j] = f[b, j] − shift[j],  own[b] = f[b, b] − ownShift[b]
 *             loss[b] = log(e^own[b] + Σ_{j ∈ N(b)} e^s[b, j]) − own[b]
 *   BPR       s[b, j] = f[b, j];  loss[b] = Σ_{j ∈ N(b)} log(1 + e^(s[b, j] − f[b, b])) / |N(b)|
 *   BCE       s[b, j] = f[b, j]
 *             loss[b] = (ownWeight·log(1 + e^−f[b, b]) + Σ_{j ∈ N(b)} log(1 + e^s[b, j])) / (|N(b)| + 1)
 *   CCL       s[b, j] = f[b, j]
 *             loss[b] = 1 − f[b, b] + negativeWeight·Σ_{j ∈ N(b)} max(0, s[b, j] − margin) / |N(b)|
 *   *sum += Σ_b w[b]·loss[b], in double precision and fixed order
 * dQueries [rows, width], dCandidates [candidateRows, width] = gradientScale · d(that)/d(…); either
 * may be null. groups null: one group. shift [candidateRows], ownShift [rows], weight null: 0, 0, 1.
 * scratch: see ppNegativesBlocks. Products are rounded as PpCall.precision says.
 * Source: BPR Rendle et al. 2009; BCE gSASRec (Petrov, Macdonald 2023), with one negative and
 * ownWeight 1 half the loss of SASRec (Kang, McAuley 2018); CCL SimpleX (Mao et al. 2021). */
typedef struct PpNegativesLoss {
  int32_t kind;
  int64_t rows, candidateRows, width;
  const float* queries;
  const float* candidates;
  const float* weight PP_DEFAULT(NULL);
  const int32_t* groups PP_DEFAULT(NULL);
  int64_t groupCount PP_DEFAULT(0);
  int32_t inBatch PP_DEFAULT(1);
  const int32_t* sameItem PP_DEFAULT(NULL);
  const int32_t* sameUser PP_DEFAULT(NULL);
  const float* shift PP_DEFAULT(NULL);
  const float* ownShift PP_DEFAULT(NULL);
  int64_t hardest PP_DEFAULT(0);
  float ownWeight PP_DEFAULT(1);      /* BCE */
  float margin PP_DEFAULT(0);         /* CCL */
  float negativeWeight PP_DEFAULT(1); /* CCL */
  float temperature PP_DEFAULT(1);
  float gradientScale PP_DEFAULT(0);
  const float* logTemperature
      PP_DEFAULT(NULL); /* null: `temperature`, else that is e^*logTemperature */
  float* scratch PP_DEFAULT(NULL);
  float* dQueries PP_DEFAULT(NULL);
  float* dCandidates PP_DEFAULT(NULL);
  double* sum PP_DEFAULT(NULL);
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

/* Cross entropy of each row's label among all rows of a table, whose product with the row and whose
 * bias are the logits: s[i, v] = hidden[i]·table[v] + bias[v],
 *   loss[i] = log(sum over v of e^s[i, v]) - s[i, labels[i]]
 *   hit[i] = 1 where labels[i] is the first v with the greatest s[i, v], else 0
 *   sums[0] += sum of w[i]*loss[i], sums[1] += sum of w[i]*hit[i], sums[2] += sum of w[i]
 * in double precision and the order of i. dHidden [rows, width] = gradientScale * d(sums[0])/d(…),
 * dTable [tableRows, width] and dBias [tableRows] += that; any may be null. bias, weight null: 0, 1.
 * scratch: see ppTableSoftmaxBlocks. Products are rounded as PpCall.precision says. */
typedef struct PpTableSoftmax {
  int64_t rows, tableRows, width;
  const float* hidden;
  const float* table;
  const float* bias PP_DEFAULT(NULL);
  const int32_t* labels;
  const float* weight PP_DEFAULT(NULL);
  float gradientScale PP_DEFAULT(0);
  float* scratch PP_DEFAULT(NULL);
  float* dHidden PP_DEFAULT(NULL);
  float* dTable PP_DEFAULT(NULL);
  float* dBias PP_DEFAULT(NULL);
  double* sums PP_DEFAULT(NULL);
} PpTableSoftmax;

/* How PpTableSoftmax cuts its work, so that no bit depends on the workers: blocks of so many rows,
 * whose logits are made once, in tiles of PP_TABLE_TILE rows of the table. A block keeps the powers of
 * all tiles where a gradient is wanted, else a part keeps those of one; of each tile it keeps two
 * lines. Tiles are dealt out to so many parts in runs; each part has three matrices of the size of
 * a block. Scratch stays below PP_TABLE_ELEMENTS (64 MiB) where 16 rows do. */
typedef struct PpTableSoftmaxBlocks {
  int64_t blockRows, tiles, parts;
  int64_t powersElements, linesElements, partElements;
} PpTableSoftmaxBlocks;

#define PP_TABLE_ELEMENTS INT64_C(16777216)
#define PP_TABLE_TILE INT64_C(512)
#define PP_TABLE_TILE_STRIDE INT64_C(528)
#define PP_TABLE_PARTS INT64_C(8)
#define PP_TABLE_MIN_ROWS INT64_C(16)
#define PP_TABLE_MAX_ROWS INT64_C(1024)

/* Scratch of a row of a block. */
static inline int64_t ppTableSoftmaxEach(int64_t tiles, int64_t width, int32_t gradients) {
  const int64_t parts = tiles < PP_TABLE_PARTS ? tiles : PP_TABLE_PARTS;
  const int64_t lines = 2 * tiles + 4;
  return gradients ? tiles * PP_TABLE_TILE_STRIDE + lines + parts * (3 * width + 1)
                   : parts * PP_TABLE_TILE_STRIDE + lines;
}

/* The most rows of a block. */
static inline int64_t ppTableSoftmaxRows(int64_t rows, int64_t each) {
  int64_t most = PP_TABLE_ELEMENTS / each / 16 * 16;
  const int64_t all = (rows + 15) / 16 * 16;
  if (most > PP_TABLE_MAX_ROWS) most = PP_TABLE_MAX_ROWS;
  if (most < PP_TABLE_MIN_ROWS) most = PP_TABLE_MIN_ROWS;
  return all < most ? all : most;
}

static inline PpTableSoftmaxBlocks ppTableSoftmaxBlocks(int64_t rows, int64_t tableRows,
                                                        int64_t width, int32_t gradients) {
  PpTableSoftmaxBlocks made;
  int64_t most, blocks;
  made.tiles = (tableRows + PP_TABLE_TILE - 1) / PP_TABLE_TILE;
  most = ppTableSoftmaxRows(rows, ppTableSoftmaxEach(made.tiles, width, gradients));
  blocks = most > 0 ? (rows + most - 1) / most : 1;
  made.blockRows = ((rows + blocks - 1) / blocks + 15) / 16 * 16;
  made.parts = made.tiles < PP_TABLE_PARTS ? made.tiles : PP_TABLE_PARTS;
  made.powersElements = gradients ? made.tiles * PP_TABLE_TILE_STRIDE * made.blockRows : 0;
  made.linesElements = (2 * made.tiles + 4) * made.blockRows;
  made.partElements = made.blockRows * (gradients ? 3 * width + 1 : PP_TABLE_TILE_STRIDE);
  return made;
}

/* Elements of scratch for up to so many rows. */
static inline int64_t ppTableSoftmaxScratch(int64_t rows, int64_t tableRows, int64_t width,
                                            int32_t gradients) {
  const int64_t tiles = (tableRows + PP_TABLE_TILE - 1) / PP_TABLE_TILE;
  const int64_t each = ppTableSoftmaxEach(tiles, width, gradients);
  return ppTableSoftmaxRows(rows, each) * each;
}

#ifdef __cplusplus
}
#endif
#endif

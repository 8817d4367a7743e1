// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// What a listwise loss reads: list l has the rows [offsets[l], offsets[l + 1]), and every row is
/// in one. Rows with a label below 0 take no part.
struct ScoredLists {
  std::span<const std::int32_t> offsets;  ///< [lists + 1], ascending from 0; empty: no list
  const float* score = nullptr;           ///< [B]
  const float* label = nullptr;           ///< [B]
  const float* weight = nullptr;          ///< [B]; null: all 1
  float temperature = 1.0f;               ///< scores are divided by it
};

enum class PairLossOp : std::int32_t {
  kHinge = PP_PAIR_HINGE,                ///< max(0, 1 − d)
  kLogistic = PP_PAIR_LOGISTIC,          ///< log(1 + e^−d)
  kSoftZeroOne = PP_PAIR_SOFT_ZERO_ONE,  ///< 1 − σ(d)
  kSquared = PP_PAIR_SQUARED,            ///< ((y_i − y_j) − d)²
};

/// Loss over the pairs of each list, and its gradient.
///
///   sum[0] += Σ_i w[i]·Σ_j loss(i, j),  d = (score[i] − score[j]) / temperature
///   over j of the same list with label[j] < label[i]; kSquared: over all j ≠ i
///   gradient[b] = gradientScale·d(this sum)/d(score[b]); 0 where the label is below 0
///
/// Shapes   gradient [B] or null (not wanted); sum [1], in the device's memory.
/// Units    gradientScale is 1/B of the global batch for Keras's mean: its losses have a value per
///          row.
/// Order    lists in fixed blocks, pairs in the order of their rows; the sum in double precision.
/// Errors   InvalidArgument unless offsets ascend from 0 and temperature > 0.
/// Source   keras-rs, keras_rs.losses.Pairwise*Loss.
void pairLoss(const Launch& launch, PairLossOp op, const ScoredLists& lists, float gradientScale,
              float* gradient, double* sum);

/// Negative log-likelihood of the order by label (ListMLE), and its gradient.
///
///   sum[0] += Σ_l Σ_i w[i]·(log(Σ_{j ≥ i} e^{s_j − m} + 1e-10) − (s_i − m))
///   s = score / temperature;  i, j: ranks in list l by label descending, ties by row;
///   m: the greatest s of list l
///
/// Shapes   gradient [B] or null (not wanted); order [B], scratch; sum [1], in the
///          device's memory.
/// Units    one value per list where the weights are 1: gradientScale is 1/lists for Keras's mean.
/// Order    lists in fixed blocks; the sums in double precision.
/// Errors   as pairLoss.
/// Source   keras-rs, keras_rs.losses.ListMLELoss (weights of rows are ours).
void listMle(const Launch& launch, const ScoredLists& lists, float gradientScale,
             std::int32_t* order, float* gradient, double* sum);

}  // namespace parapet::tensor

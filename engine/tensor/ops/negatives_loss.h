// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/tensor/device.h"

namespace parapet::tensor {

enum class NegativesLossOp {
  kSoftmax,  ///< cross entropy of the own candidate among itself and the negatives
  kBpr,      ///< mean over the negatives of −log σ(own − score)
};

/// What negativesLoss reads. B rows are queries, each with the candidate of the same row as its own;
/// candidates from row B on are negatives of all queries.
struct QueriesAndCandidates {
  std::int64_t rows = 0, candidateRows = 0, width = 0;
  const float* queries = nullptr;     ///< [B, D]
  const float* candidates = nullptr;  ///< [C, D], C ≥ B
  const float* weight = nullptr;      ///< [B]; null: all 1
  float temperature = 1.0f;           ///< scores are divided by it
  /// [1], in the device's memory: the logarithm of the temperature in place of it; null: none.
  const float* logTemperature = nullptr;
  /// Rows [groups[g], groups[g + 1]) are negatives of one another; empty: all B rows are.
  std::span<const std::int32_t> groups{};
  bool inBatch = true;  ///< false: only candidates from row B on are negatives
  /// [C]: a ring through the candidates of each item, whose members are no negatives of one another;
  /// null: every candidate stands alone.
  const std::int32_t* sameItem = nullptr;
  const float* shift = nullptr;     ///< [C]: taken off the scores of negatives; null: 0
  const float* ownShift = nullptr;  ///< [B]: taken off that of the own candidate; null: 0
  std::int64_t hardest = 0;         ///< so many negatives with the highest scores count; 0: all
};

/// f32 elements that negativesLoss needs for its work on up to so many rows.
std::int64_t negativesScratch(std::int64_t rows, std::int64_t candidateRows, std::int64_t width);

/// A loss of each query's own candidate against negatives N(b), and its gradient.
///
///   f[b, j] = queries[b]·candidates[j] / temperature;  s[b, j] = f[b, j] − shift[j]
///   softmax   own = f[b, b] − ownShift[b];  ℓ_b = log(e^own + Σ_{j ∈ N(b)} e^s[b, j]) − own
///   bpr       ℓ_b = Σ_{j ∈ N(b)} log(1 + e^(s[b, j] − f[b, b])) / |N(b)|
///   sum[0] += Σ_b w[b]·ℓ_b
///   dQueries, dCandidates = gradientScale · d(that)/d(…)
///
/// Shapes   dQueries [B, D], dCandidates [C, D]; either may be null (not wanted); sum [1], in the
///          device's memory.
/// Memory   scratch [negativesScratch(B, C, D)]: scores of a few blocks, never all B·C.
/// Order    fixed blocks; the sum in double precision.
/// Errors   InvalidArgument if B < 0, C < B, D < 1, hardest < 0 or temperature ≤ 0, and for groups
///          that do not cover the rows.
void negativesLoss(const Launch& launch, NegativesLossOp op, const QueriesAndCandidates& inputs,
                   float gradientScale, float* scratch, float* dQueries, float* dCandidates,
                   double* sum);

}  // namespace parapet::tensor

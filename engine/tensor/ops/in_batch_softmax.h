// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// What inBatchSoftmax reads: row b's query and its own candidate.
struct QueriesAndCandidates {
  std::int64_t rows = 0, width = 0;
  const float* queries = nullptr;     ///< [B, D]
  const float* candidates = nullptr;  ///< [B, D]
  const float* weight = nullptr;      ///< [B]; null: all 1
  float temperature = 1.0f;           ///< scores are divided by it
};

/// Cross entropy of each query's own candidate among the candidates of all rows, and its gradient.
///
///   s[b, j] = queries[b]·candidates[j] / temperature;  logSumExp[b] = log Σ_j e^{s[b, j]}
///   returns Σ_b w[b]·(logSumExp[b] − s[b, b])
///   dQueries[b]    = gradientScale·w[b]/temperature·(Σ_j p[b, j]·candidates[j] − candidates[b])
///   dCandidates[j] = gradientScale/temperature·(Σ_b w[b]·p[b, j]·queries[b] − w[j]·queries[j])
///   p[b, j] = e^{s[b, j] − logSumExp[b]}
///
/// Shapes   logSumExp [B]; dQueries, dCandidates [B, D]; either may be null (not wanted).
/// Memory   tiles of scores on the stack, never all B·B.
/// Order    fixed tiles; the sum in double precision.
/// Errors   InvalidArgument if B < 0, D < 1 or temperature ≤ 0.
double inBatchSoftmax(const Launch& launch, const QueriesAndCandidates& inputs, float gradientScale,
                      float* logSumExp, float* dQueries, float* dCandidates);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// What topK() gives of a candidate.
enum class TopKScores : std::int32_t {
  kScores = 0,            ///< s[q, v]
  kLogProbabilities = 1,  ///< s[q, v] − log Σ_u e^s[q, u], u over all candidates
};

/// Queries and the candidates that each of them is compared with.
struct ScoredRows {
  std::int64_t queryCount = 0, candidateCount = 0, width = 0;
  const float* queries = nullptr;     ///< [Q, D]
  const float* candidates = nullptr;  ///< [V, D]
  const float* bias = nullptr;        ///< [V]; null: 0
};

/// The k best candidates of each query, the best first; of equal ones the lowest row.
///
///   s[q, v] = queries[q]·candidates[v] + bias[v]
///
/// Shapes   rows [Q, k] int32, scores [Q, k]; beyond V candidates, and in place of a NaN, row −1 and
///          score −∞. Scores of a tile alone exist.
/// Errors   InvalidArgument if Q or V is negative, D < 1 or k < 1.
void topK(const Launch& launch, const ScoredRows& inputs, std::int64_t k, TopKScores of,
          std::int32_t* rows, float* scores);

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/device.h"

namespace parapet::tensor {

/// Offers the scores of queries against candidates that reach each query's threshold.
///
///   score[q, v] = Σ_d queries[q, d]·candidates[v, d];  offered unless score < thresholds[q]
///
/// Shapes   queries [Q, D], candidates [V, D], thresholds [Q], read and written: `offer` returns
///          the smallest score that is still wanted of that query. Scores are never written out.
/// Order    offers come in any order, from the calling thread. A NaN score is always offered.
/// Errors   InvalidArgument if Q or V is negative or D < 1.
void scanScores(const Launch& launch, std::int64_t queryCount, std::int64_t candidateCount,
                std::int64_t width, const float* queries, const float* candidates,
                float* thresholds, PpOffer offer, void* offerContext);

}  // namespace parapet::tensor

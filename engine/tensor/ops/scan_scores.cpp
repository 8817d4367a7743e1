// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/scan_scores.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void scanScores(const Launch& launch, std::int64_t queryCount, std::int64_t candidateCount,
                std::int64_t width, const float* queries, const float* candidates,
                float* thresholds, PpOffer offer, void* offerContext) {
  requireArgument(queryCount >= 0, "scanScores", "queries", queryCount, "at least 0 is accepted");
  requireArgument(candidateCount >= 0, "scanScores", "candidates", candidateCount,
                  "at least 0 is accepted");
  requireArgument(width >= 1, "scanScores", "width", width, "at least 1 is accepted");
  const PpCall call = makeCall(launch);
  const PpScanScores args{queryCount, candidateCount, width, queries,
                          candidates, thresholds,     offer, offerContext};
  requireOk(launch.device->ops().scanScores(&call, &args), launch, "scanScores");
}

}  // namespace parapet::tensor

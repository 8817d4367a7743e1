// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/top_k.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void topK(const Launch& launch, const ScoredRows& inputs, std::int64_t k, TopKScores of,
          std::int32_t* rows, float* scores) {
  requireArgument(inputs.queryCount >= 0, "topK", "queries", inputs.queryCount,
                  "at least 0 is accepted");
  requireArgument(inputs.candidateCount >= 0, "topK", "candidates", inputs.candidateCount,
                  "at least 0 is accepted");
  requireArgument(inputs.width >= 1, "topK", "width", inputs.width, "at least 1 is accepted");
  requireArgument(k >= 1, "topK", "k", k, "at least 1 is accepted");
  const PpCall call = makeCall(launch);
  const PpTopK args{inputs.queryCount,
                    inputs.candidateCount,
                    inputs.width,
                    k,
                    inputs.queries,
                    inputs.candidates,
                    inputs.bias,
                    static_cast<std::int32_t>(of),
                    rows,
                    scores};
  requireOk(launch.device->ops().topK(&call, &args), launch, "topK");
}

}  // namespace parapet::tensor

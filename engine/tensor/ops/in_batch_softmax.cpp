// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/in_batch_softmax.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

double inBatchSoftmax(const Launch& launch, const QueriesAndCandidates& inputs, float gradientScale,
                      float* logSumExp, float* dQueries, float* dCandidates) {
  constexpr std::string_view kOp = "inBatchSoftmax";
  requireArgument(inputs.rows >= 0, kOp, "rows", inputs.rows, "at least 0 is accepted");
  requireArgument(inputs.width >= 1, kOp, "width", inputs.width, "at least 1 is accepted");
  requirePositive(kOp, "temperature", inputs.temperature);
  double sum = 0.0;
  const PpCall call = makeCall(launch);
  const PpInBatchSoftmax args{inputs.rows,       inputs.width,  inputs.queries,
                              inputs.candidates, inputs.weight, inputs.temperature,
                              gradientScale,     logSumExp,     dQueries,
                              dCandidates,       &sum};
  requireOk(launch.device->ops().inBatchSoftmax(&call, &args), launch, kOp);
  return sum;
}

}  // namespace parapet::tensor

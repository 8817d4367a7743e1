// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/negatives_loss.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

std::int64_t negativesScratch(std::int64_t rows, std::int64_t candidateRows, std::int64_t width) {
  return ppNegativesScratch(rows, candidateRows, width);
}

void negativesLoss(const Launch& launch, NegativesLossOp op, const QueriesAndCandidates& inputs,
                   float gradientScale, float* scratch, float* dQueries, float* dCandidates,
                   double* sum) {
  constexpr std::string_view kOp = "negativesLoss";
  requireArgument(inputs.rows >= 0, kOp, "rows", inputs.rows, "at least 0 is accepted");
  requireArgument(inputs.candidateRows >= inputs.rows, kOp, "rows of candidates",
                  inputs.candidateRows, "at least those of the queries are accepted");
  requireArgument(inputs.width >= 1, kOp, "width", inputs.width, "at least 1 is accepted");
  requireArgument(inputs.hardest >= 0, kOp, "hardest", inputs.hardest, "at least 0 is accepted");
  requirePositive(kOp, "temperature", inputs.temperature);
  const auto groups = static_cast<std::int64_t>(inputs.groups.size()) - 1;
  if (!inputs.groups.empty() && launch.device->isHost()) {
    requireArgument(inputs.groups.front() == 0, kOp, "groups[0]", inputs.groups.front(),
                    "0 is accepted");
    requireArgument(inputs.groups.back() == inputs.rows, kOp, "the end of the groups",
                    inputs.groups.back(), "that of the rows is accepted");
  }
  const PpCall call = makeCall(launch);
  const PpNegativesLoss args{
      op == NegativesLossOp::kSoftmax ? PP_NEGATIVES_SOFTMAX : PP_NEGATIVES_BPR,
      inputs.rows,
      inputs.candidateRows,
      inputs.width,
      inputs.queries,
      inputs.candidates,
      inputs.weight,
      inputs.groups.empty() ? nullptr : inputs.groups.data(),
      groups,
      inputs.inBatch ? 1 : 0,
      inputs.sameItem,
      inputs.shift,
      inputs.ownShift,
      inputs.hardest,
      inputs.temperature,
      gradientScale,
      inputs.logTemperature,
      scratch,
      dQueries,
      dCandidates,
      sum};
  requireOk(launch.device->ops().negativesLoss(&call, &args), launch, kOp);
}

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/logistic_loss.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void logisticLoss(const Launch& launch, std::int64_t rows, const float* logit, const float* label,
                  const float* weight, float gradientScale, float* gradient, double* sum) {
  requireArgument(rows >= 0, "logisticLoss", "rows", rows, "at least 0 is accepted");
  const PpCall call = makeCall(launch);
  const PpLogisticLoss args{rows, logit, label, weight, gradientScale, gradient, sum};
  requireOk(launch.device->ops().logisticLoss(&call, &args), launch, "logisticLoss");
}

}  // namespace parapet::tensor

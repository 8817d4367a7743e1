// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/squared_error.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void squaredError(const Launch& launch, std::int64_t rows, const float* prediction,
                  const float* label, const float* weight, float gradientScale, float* gradient,
                  double* sums) {
  requireArgument(rows >= 0, "squaredError", "rows", rows, "at least 0 is accepted");
  const PpCall call = makeCall(launch);
  const PpSquaredError args{rows, prediction, label, weight, gradientScale, gradient, sums};
  requireOk(launch.device->ops().squaredError(&call, &args), launch, "squaredError");
}

}  // namespace parapet::tensor

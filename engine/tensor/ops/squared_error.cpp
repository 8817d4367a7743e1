// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/squared_error.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

ErrorSums squaredError(const Launch& launch, std::int64_t rows, const float* prediction,
                       const float* label, const float* weight, float gradientScale,
                       float* gradient) {
  requireArgument(rows >= 0, "squaredError", "rows", rows, "at least 0 is accepted");
  double sums[3] = {};
  const PpCall call = makeCall(launch);
  const PpSquaredError args{rows, prediction, label, weight, gradientScale, gradient, sums};
  requireOk(launch.device->ops().squaredError(&call, &args), launch, "squaredError");
  return {sums[0], sums[1], sums[2]};
}

}  // namespace parapet::tensor

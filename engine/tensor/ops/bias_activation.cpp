// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/bias_activation.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

void requireShape(std::string_view op, std::int64_t rows, std::int64_t width) {
  requireArgument(rows >= 0, op, "rows", rows, "at least 0 is accepted");
  requireArgument(width >= 1, op, "width", width, "at least 1 is accepted");
}

}  // namespace

void biasActivation(const Launch& launch, ActivationOp activation, std::int64_t rows,
                    std::int64_t width, const float* x, const float* bias, float* y) {
  requireShape("biasActivation", rows, width);
  const PpCall call = makeCall(launch);
  const PpBiasActivation args{rows, width, static_cast<std::int32_t>(activation), x, bias, y};
  requireOk(launch.device->ops().biasActivation(&call, &args), launch, "biasActivation");
}

void biasActivationGradient(const Launch& launch, ActivationOp activation, std::int64_t rows,
                            std::int64_t width, const float* x, const float* bias, const float* y,
                            const float* dy, float* dx, float* dbias) {
  requireShape("biasActivationGradient", rows, width);
  const PpCall call = makeCall(launch);
  const PpBiasActivationGradient args{
      rows, width, static_cast<std::int32_t>(activation), x, bias, y, dy, dx, dbias};
  requireOk(launch.device->ops().biasActivationGradient(&call, &args), launch,
            "biasActivationGradient");
}

}  // namespace parapet::tensor

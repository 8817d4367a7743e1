// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/norms.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

void requireShape(std::string_view op, std::int64_t rows, std::int64_t leastRows,
                  std::int64_t width) {
  requireArgument(rows >= leastRows, op, "rows", rows,
                  leastRows == 0 ? "at least 0 is accepted" : "at least 1 is accepted");
  requireArgument(width >= 1, op, "width", width, "at least 1 is accepted");
}

}  // namespace

void layerNorm(const Launch& launch, std::int64_t rows, std::int64_t width,
               const NormInputs& inputs, float* y) {
  requireShape("layerNorm", rows, 0, width);
  const PpCall call = makeCall(launch);
  const PpLayerNorm args{rows, width, inputs.x, inputs.gamma, inputs.beta, inputs.epsilon, y};
  requireOk(launch.device->ops().layerNorm(&call, &args), launch, "layerNorm");
}

void layerNormGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                       const NormInputs& inputs, const float* dy, const NormGradients& gradients) {
  requireShape("layerNormGradient", rows, 0, width);
  const PpCall call = makeCall(launch);
  const PpLayerNormGradient args{rows,           width, inputs.x,     inputs.gamma,
                                 inputs.epsilon, dy,    gradients.dx, gradients.dgamma,
                                 gradients.dbeta};
  requireOk(launch.device->ops().layerNormGradient(&call, &args), launch, "layerNormGradient");
}

void batchNorm(const Launch& launch, std::int64_t rows, std::int64_t width,
               const NormInputs& inputs, BatchStatistics statistics, const MovingStatistics& moving,
               float* y) {
  const bool useBatch = statistics == BatchStatistics::kOfBatch;
  requireShape("batchNorm", rows, useBatch ? 1 : 0, width);
  const PpCall call = makeCall(launch);
  const PpBatchNorm args{rows,
                         width,
                         inputs.x,
                         inputs.gamma,
                         inputs.beta,
                         inputs.epsilon,
                         moving.momentum,
                         useBatch ? 1 : 0,
                         moving.mean,
                         moving.variance,
                         y};
  requireOk(launch.device->ops().batchNorm(&call, &args), launch, "batchNorm");
}

void batchNormGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                       const NormInputs& inputs, const float* dy, const NormGradients& gradients) {
  requireShape("batchNormGradient", rows, 1, width);
  const PpCall call = makeCall(launch);
  const PpBatchNormGradient args{rows,           width, inputs.x,     inputs.gamma,
                                 inputs.epsilon, dy,    gradients.dx, gradients.dgamma,
                                 gradients.dbeta};
  requireOk(launch.device->ops().batchNormGradient(&call, &args), launch, "batchNormGradient");
}

void l2Normalize(const Launch& launch, std::int64_t rows, std::int64_t width, const float* x,
                 float epsilon, float* y) {
  requireShape("l2Normalize", rows, 0, width);
  const PpCall call = makeCall(launch);
  const PpL2Normalize args{rows, width, x, epsilon, y};
  requireOk(launch.device->ops().l2Normalize(&call, &args), launch, "l2Normalize");
}

void l2NormalizeGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                         const float* x, float epsilon, const float* dy, float* dx) {
  requireShape("l2NormalizeGradient", rows, 0, width);
  const PpCall call = makeCall(launch);
  const PpL2NormalizeGradient args{rows, width, x, epsilon, dy, dx};
  requireOk(launch.device->ops().l2NormalizeGradient(&call, &args), launch, "l2NormalizeGradient");
}

}  // namespace parapet::tensor

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

void requireBatchRows(std::string_view op, std::int64_t batchRows) {
  requireArgument(batchRows >= 1, op, "batchRows", batchRows, "at least 1 is accepted");
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

void batchMoments(const Launch& launch, std::int64_t rows, std::int64_t width, const float* x,
                  std::int64_t batchRows, const double* s1, double* sums) {
  requireShape("batchMoments", rows, 0, width);
  requireBatchRows("batchMoments", batchRows);
  const PpCall call = makeCall(launch);
  const PpBatchMoments args{rows, width, batchRows, x, s1, sums};
  requireOk(launch.device->ops().batchMoments(&call, &args), launch, "batchMoments");
}

void batchNormOfMoments(const Launch& launch, std::int64_t rows, std::int64_t width,
                        const NormInputs& inputs, const BatchMoments& moments,
                        const MovingStatistics& moving, float* y) {
  requireShape("batchNormOfMoments", rows, 0, width);
  requireBatchRows("batchNormOfMoments", moments.batchRows);
  const PpCall call = makeCall(launch);
  const PpBatchNormOfMoments args{rows,
                                  width,
                                  moments.batchRows,
                                  inputs.x,
                                  inputs.gamma,
                                  inputs.beta,
                                  inputs.epsilon,
                                  moving.momentum,
                                  moments.s1,
                                  moments.s2,
                                  moving.mean,
                                  moving.variance,
                                  y};
  requireOk(launch.device->ops().batchNormOfMoments(&call, &args), launch, "batchNormOfMoments");
}

void batchNormGradientSums(const Launch& launch, std::int64_t rows, std::int64_t width,
                           const NormInputs& inputs, const BatchMoments& moments, const float* dy,
                           double* sums, float* dgamma, float* dbeta) {
  requireShape("batchNormGradientSums", rows, 0, width);
  requireBatchRows("batchNormGradientSums", moments.batchRows);
  const PpCall call = makeCall(launch);
  const PpBatchNormGradientSums args{.rows = rows,
                                     .width = width,
                                     .batchRows = moments.batchRows,
                                     .x = inputs.x,
                                     .epsilon = inputs.epsilon,
                                     .s1 = moments.s1,
                                     .s2 = moments.s2,
                                     .dy = dy,
                                     .sums = sums,
                                     .dgamma = dgamma,
                                     .dbeta = dbeta};
  requireOk(launch.device->ops().batchNormGradientSums(&call, &args), launch,
            "batchNormGradientSums");
}

void batchNormGradientOfSums(const Launch& launch, std::int64_t rows, std::int64_t width,
                             const NormInputs& inputs, const BatchMoments& moments, const float* dy,
                             const double* sums, float* dx) {
  requireShape("batchNormGradientOfSums", rows, 0, width);
  requireBatchRows("batchNormGradientOfSums", moments.batchRows);
  const PpCall call = makeCall(launch);
  const PpBatchNormGradientOfSums args{.rows = rows,
                                       .width = width,
                                       .batchRows = moments.batchRows,
                                       .x = inputs.x,
                                       .gamma = inputs.gamma,
                                       .epsilon = inputs.epsilon,
                                       .s1 = moments.s1,
                                       .s2 = moments.s2,
                                       .dy = dy,
                                       .sums = sums,
                                       .dx = dx};
  requireOk(launch.device->ops().batchNormGradientOfSums(&call, &args), launch,
            "batchNormGradientOfSums");
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

// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/optimizers.h"

#include <cmath>

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void requireTarget(const Launch& launch, std::string_view op, const UpdateTarget& target) {
  requireArgument(target.width >= 1, op, "width", target.width, "at least 1 is accepted");
  const bool isCounted = target.counted && launch.device->isHost();
  if (target.rows)
    requireRowsInRange(launch, op, target.rows, isCounted ? *target.counted : target.count,
                       target.tableRows);
  else
    requireArgument(target.count == target.tableRows, op, "rows of a dense gradient", target.count,
                    "as many as the parameter has are accepted");
}

UpdateTarget everyRow(float* weight, std::int64_t tableRows, std::int64_t width,
                      const float* grad) {
  UpdateTarget target{};
  target.weight = weight;
  target.tableRows = target.count = target.terms = tableRows;
  target.width = width;
  target.grad = grad;
  return target;
}

UpdateTarget someRows(float* weight, std::int64_t tableRows, std::int64_t width,
                      std::span<const std::int32_t> rows, const float* grad) {
  UpdateTarget target = everyRow(weight, tableRows, width, grad);
  target.rows = rows.data();
  target.count = target.terms = static_cast<std::int64_t>(rows.size());
  return target;
}

void sgd(const Launch& launch, const UpdateTarget& target, Rate learningRate, float momentum,
         float* velocity, RowsMoved moved, std::int32_t* indexOfRow) {
  requireTarget(launch, "sgd", target);
  const PpCall call = makeCall(launch);
  const PpSgd args{
      target,     learningRate.value, momentum, velocity, moved == RowsMoved::kEveryRow,
      indexOfRow, learningRate.here};
  requireOk(launch.device->ops().sgd(&call, &args), launch, "sgd");
}

void adagrad(const Launch& launch, const UpdateTarget& target, Rate learningRate, float epsilon,
             AdagradEpsilon mode, float* accumulator) {
  requireTarget(launch, "adagrad", target);
  const PpCall call = makeCall(launch);
  const PpAdagrad args{target,      learningRate.value,
                       epsilon,     mode == AdagradEpsilon::kInsideRoot,
                       accumulator, learningRate.here};
  requireOk(launch.device->ops().adagrad(&call, &args), launch, "adagrad");
}

void rowwiseAdagrad(const Launch& launch, const UpdateTarget& target, Rate learningRate,
                    float epsilon, AdagradEpsilon mode, float* accumulator, const float* means) {
  requireTarget(launch, "rowwiseAdagrad", target);
  const PpCall call = makeCall(launch);
  const PpRowwiseAdagrad args{
      target, learningRate.value, epsilon, mode == AdagradEpsilon::kInsideRoot, accumulator,
      means,  learningRate.here};
  requireOk(launch.device->ops().rowwiseAdagrad(&call, &args), launch, "rowwiseAdagrad");
}

AdamFactors AdamFactors::uncorrected(double learningRate, double beta1, double beta2,
                                     std::int64_t step) {
  const auto t = static_cast<double>(step);
  return {static_cast<float>(learningRate * std::sqrt(1.0 - std::pow(beta2, t)) /
                             (1.0 - std::pow(beta1, t))),
          1.0f};
}

AdamFactors AdamFactors::corrected(double learningRate, double beta1, double beta2,
                                   std::int64_t step) {
  const auto t = static_cast<double>(step);
  return {static_cast<float>(learningRate / (1.0 - std::pow(beta1, t))),
          static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(beta2, t)))};
}

void adam(const Launch& launch, const UpdateTarget& target, AdamFactors factors, float beta1,
          float beta2, float epsilon, float* moment, float* variance, RowsMoved moved,
          std::int32_t* indexOfRow) {
  requireTarget(launch, "adam", target);
  const PpCall call = makeCall(launch);
  const PpAdam args{target,
                    factors.here ? 0.0f : factors.stepSize,
                    factors.here ? 0.0f : factors.rootScale,
                    beta1,
                    beta2,
                    epsilon,
                    moment,
                    variance,
                    moved == RowsMoved::kEveryRow,
                    indexOfRow,
                    factors.here};
  requireOk(launch.device->ops().adam(&call, &args), launch, "adam");
}

void ftrl(const Launch& launch, const UpdateTarget& target, const FtrlSettings& settings,
          float* accumulator, float* linear) {
  requireTarget(launch, "ftrl", target);
  const PpCall call = makeCall(launch);
  const PpFtrl args{target,
                    settings.learningRate.value,
                    settings.learningRatePower,
                    settings.l1,
                    settings.l2,
                    settings.beta,
                    accumulator,
                    linear,
                    settings.learningRate.here};
  requireOk(launch.device->ops().ftrl(&call, &args), launch, "ftrl");
}

void decayRows(const Launch& launch, const UpdateTarget& target, Rate factor, RowsMoved moved) {
  requireTarget(launch, "decayRows", target);
  const bool all = moved == RowsMoved::kEveryRow || !target.rows;
  const PpCall call = makeCall(launch);
  const PpDecayRows args{target.weight,
                         target.tableRows,
                         target.width,
                         all ? nullptr : target.rows,
                         all ? target.tableRows : target.count,
                         factor.value,
                         all ? nullptr : target.counted,
                         factor.here};
  requireOk(launch.device->ops().decayRows(&call, &args), launch, "decayRows");
}

}  // namespace parapet::tensor

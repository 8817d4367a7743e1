// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/optimizers.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/result.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

namespace {

/// The width is at least 1 and the rows are rows of the table; without rows there are as many as it
/// has.
template <class Rows>
void requireTarget(const Launch& launch, std::string_view op, const Rows& target) {
  requireArgument(target.width >= 1, op, "width", target.width, "at least 1 is accepted");
  const bool isCounted = target.counted && launch.device->isHost();
  if (target.rows)
    requireRowsInRange(launch, op, target.rows, isCounted ? *target.counted : target.count,
                       target.tableRows);
  else
    requireArgument(target.count == target.tableRows, op, "rows of a dense gradient", target.count,
                    "as many as the parameter has are accepted");
}

}  // namespace

void check(const Launch& launch, const PpSgd& args) {
  requireTarget(launch, nameOf(args), args.target);
}

void check(const Launch& launch, const PpAdagrad& args) {
  requireTarget(launch, nameOf(args), args.target);
}

void check(const Launch& launch, const PpRowwiseAdagrad& args) {
  requireTarget(launch, nameOf(args), args.target);
}

void check(const Launch& launch, const PpAdam& args) {
  requireTarget(launch, nameOf(args), args.target);
}

void check(const Launch& launch, const PpFtrl& args) {
  requireTarget(launch, nameOf(args), args.target);
}

void check(const Launch& launch, const PpMergeRows& args) {
  requireTarget(launch, nameOf(args), args.target);
}

void check(const Launch& launch, const PpDecayRows& args) {
  requireTarget(launch, nameOf(args), args);
}

void check(const Launch& launch, const PpMeanSquares& args) {
  requireTarget(launch, nameOf(args), args.target);
  requireArgument(args.columns >= 1, nameOf(args), "columns", args.columns,
                  "at least 1 is accepted");
}

void check(const Launch&, const PpSumSquares& args) {
  requireCount(args);
}

void check(const Launch&, const PpScaleClamp& args) {
  requireCount(args);
  if (args.squares) requirePositive(nameOf(args), "the norm", static_cast<float>(args.maxNorm));
  if (!(args.limit >= 0.0f))
    throw InvalidArgument(
        fmt::format("[tensor.scaleClamp] limit is {}; at least 0 is accepted", args.limit));
}

void check(const Launch&, const PpInnerProduct& args) {
  requireCount(args);
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

PpDecayRows decayOf(const UpdateTarget& target, Rate factor, RowsMoved moved) {
  const bool all = moved == RowsMoved::kEveryRow || !target.rows;
  return {.weight = target.weight,
          .tableRows = target.tableRows,
          .width = target.width,
          .rows = all ? nullptr : target.rows,
          .count = all ? target.tableRows : target.count,
          .factor = factor.value,
          .counted = all ? nullptr : target.counted,
          .rates = factor.here};
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

}  // namespace parapet::tensor

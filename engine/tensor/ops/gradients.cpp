// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/gradients.h"

#include <fmt/format.h>

#include "engine/base/result.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void mergeRows(const Launch& launch, const UpdateTarget& target, float* out) {
  requireTarget(launch, "mergeRows", target);
  const PpCall call = makeCall(launch);
  const PpMergeRows args{target, out};
  requireOk(launch.device->ops().mergeRows(&call, &args), launch, "mergeRows");
}

void meanSquares(const Launch& launch, const UpdateTarget& target, std::int64_t columns, float* out,
                 Accumulate accumulate) {
  requireTarget(launch, "meanSquares", target);
  requireArgument(columns >= 1, "meanSquares", "columns", columns, "at least 1 is accepted");
  const PpCall call = makeCall(launch);
  const PpMeanSquares args{target, columns, out, accumulate == Accumulate::kYes};
  requireOk(launch.device->ops().meanSquares(&call, &args), launch, "meanSquares");
}

void sumSquares(const Launch& launch, const float* in, std::int64_t count, double* sum) {
  requireArgument(count >= 0, "sumSquares", "count", count, "at least 0 is accepted");
  const PpCall call = makeCall(launch);
  const PpSumSquares args{in, count, sum};
  requireOk(launch.device->ops().sumSquares(&call, &args), launch, "sumSquares");
}

void scaleClamp(const Launch& launch, float* values, std::int64_t count, float factor,
                float limit) {
  requireArgument(count >= 0, "scaleClamp", "count", count, "at least 0 is accepted");
  if (!(limit >= 0.0f))
    throw InvalidArgument(
        fmt::format("[tensor.scaleClamp] limit is {}; at least 0 is accepted", limit));
  const PpCall call = makeCall(launch);
  const PpScaleClamp args{values, count, factor, limit, nullptr, 0.0};
  requireOk(launch.device->ops().scaleClamp(&call, &args), launch, "scaleClamp");
}

void clipByNorm(const Launch& launch, float* values, std::int64_t count, const double* squares,
                double maxNorm) {
  requireArgument(count >= 0, "clipByNorm", "count", count, "at least 0 is accepted");
  requirePositive("clipByNorm", "the norm", static_cast<float>(maxNorm));
  const PpCall call = makeCall(launch);
  const PpScaleClamp args{values,  count,  1.0f, std::numeric_limits<float>::infinity(),
                          squares, maxNorm};
  requireOk(launch.device->ops().scaleClamp(&call, &args), launch, "clipByNorm");
}

void innerProduct(const Launch& launch, const float* a, const float* b, std::int64_t count,
                  float factor, float* out) {
  requireArgument(count >= 0, "innerProduct", "count", count, "at least 0 is accepted");
  const PpCall call = makeCall(launch);
  const PpInnerProduct args{a, b, count, factor, out};
  requireOk(launch.device->ops().innerProduct(&call, &args), launch, "innerProduct");
}

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/elements.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/result.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
void dropout(const Launch& launch, std::int64_t count, const float* x, double rate, DrawKey key,
             std::int64_t first, float* y) {
  requireArgument(count >= 0, "dropout", "count", count, "at least 0 is accepted");
  requireArgument(first >= 0, "dropout", "first element", first, "at least 0 is accepted");
  if (!(rate >= 0.0 && rate < 1.0))
    throw InvalidArgument(
        fmt::format("[tensor.dropout] rate is {}; at least 0 and below 1 is accepted", rate));
  // Draws have 24 bits.
  const auto dropBelow = static_cast<std::uint32_t>(std::ceil(rate * 0x1p24));
  const PpCall call = makeCall(launch);
  const PpDropout args{count,     x,
                       key.value, static_cast<std::uint64_t>(first),
                       dropBelow, static_cast<float>(1.0 / (1.0 - rate)),
                       y,         key.here};
  requireOk(launch.device->ops().dropout(&call, &args), launch, "dropout");
}

void signedLog(const Launch& launch, std::int64_t count, const float* x, float* y) {
  requireArgument(count >= 0, "signedLog", "count", count, "at least 0 is accepted");
  const PpCall call = makeCall(launch);
  const PpSignedLog args{count, x, y};
  requireOk(launch.device->ops().signedLog(&call, &args), launch, "signedLog");
}

void quantile(const Launch& launch, std::int64_t count, const float* x, std::int64_t knots,
              const float* values, float* y) {
  requireArgument(count >= 0, "quantile", "count", count, "at least 0 is accepted");
  requireArgument(knots >= 2, "quantile", "knots", knots, "at least 2 is accepted");
  const PpCall call = makeCall(launch);
  const PpQuantile args{count, knots, x, values, y};
  requireOk(launch.device->ops().quantile(&call, &args), launch, "quantile");
}

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/scatter_rows.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void scatterRows(const Launch& launch, std::span<const std::int32_t> rows, std::int64_t width,
                 const float* in, std::int64_t outRows, float* out, Accumulate accumulate) {
  requireArgument(outRows >= 0, "scatterRows", "rows of the output", outRows,
                  "at least 0 is accepted");
  requireArgument(width >= 1, "scatterRows", "width", width, "at least 1 is accepted");
  const auto count = static_cast<std::int64_t>(rows.size());
  requireRowsInRange(launch, "scatterRows", rows.data(), count, outRows);
  const PpCall call = makeCall(launch);
  const PpScatterRows args{
      outRows, width, rows.data(), count, in, static_cast<std::int32_t>(accumulate), out};
  requireOk(launch.device->ops().scatterRows(&call, &args), launch, "scatterRows");
}

}  // namespace parapet::tensor

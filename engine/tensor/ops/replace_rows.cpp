// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/replace_rows.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void replaceRows(const Launch& launch, std::span<const std::int32_t> rows, std::int64_t width,
                 const float* in, std::int64_t outRows, float* out) {
  requireArgument(outRows >= 0, "replaceRows", "rows of the output", outRows,
                  "at least 0 is accepted");
  requireArgument(width >= 1, "replaceRows", "width", width, "at least 1 is accepted");
  const auto count = static_cast<std::int64_t>(rows.size());
  requireRowsInRange(launch, "replaceRows", rows.data(), count, outRows);
  const PpCall call = makeCall(launch);
  const PpReplaceRows args{outRows, width, rows.data(), count, in, out};
  requireOk(launch.device->ops().replaceRows(&call, &args), launch, "replaceRows");
}

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/gather_rows.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void gatherRows(const Launch& launch, const float* table, std::int64_t tableRows,
                std::int64_t width, std::span<const std::int32_t> rows, float* out) {
  requireArgument(width >= 1, "gatherRows", "width", width, "at least 1 is accepted");
  const auto count = static_cast<std::int64_t>(rows.size());
  requireRowsInRange(launch, "gatherRows", rows.data(), count, tableRows);
  const PpCall call = makeCall(launch);
  const PpGatherRows args{table, tableRows, width, rows.data(), count, out};
  requireOk(launch.device->ops().gatherRows(&call, &args), launch, "gatherRows");
}

}  // namespace parapet::tensor

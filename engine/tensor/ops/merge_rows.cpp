// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/merge_rows.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

std::int64_t mergeRows(const Launch& launch, std::span<const std::int32_t> rows, const float* grad,
                       std::int64_t tableRows, std::int64_t width, std::int32_t* slotOfRow,
                       std::int32_t* mergedRows, float* merged) {
  requireArgument(width >= 1, "mergeRows", "width", width, "at least 1 is accepted");
  const auto count = static_cast<std::int64_t>(rows.size());
  requireRowsInRange("mergeRows", rows.data(), count, tableRows);
  std::int64_t mergedCount = 0;
  const PpCall call = makeCall(launch);
  const PpMergeRows args{rows.data(), count,      tableRows, width,       grad,
                         slotOfRow,   mergedRows, merged,    &mergedCount};
  requireOk(launch.device->ops().mergeRows(&call, &args), launch, "mergeRows");
  return mergedCount;
}

}  // namespace parapet::tensor

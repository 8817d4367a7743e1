// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/group_rows.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

std::int64_t groupRows(const Launch& launch, std::span<const std::int32_t> rows,
                       std::int64_t tableRows, std::int32_t* indexOfRow, const RowGroups& groups) {
  const auto count = static_cast<std::int64_t>(rows.size());
  requireRowsInRange("groupRows", rows.data(), count, tableRows);
  std::int64_t groupCount = 0;
  const PpCall call = makeCall(launch);
  const PpGroupRows args{rows.data(), count,        tableRows,   indexOfRow, groups.scratch,
                         groups.rows, groups.first, groups.next, &groupCount};
  requireOk(launch.device->ops().groupRows(&call, &args), launch, "groupRows");
  return groupCount;
}

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/group_rows.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void groupRows(const Launch& launch, std::span<const std::int32_t> rows, std::int64_t tableRows,
               std::int32_t* indexOfRow, const RowGroups& groups) {
  const auto count = static_cast<std::int64_t>(rows.size());
  requireRowsInRange(launch, "groupRows", rows.data(), count, tableRows);
  const PpCall call = makeCall(launch);
  const PpGroupRows args{rows.data(), count,        tableRows,   indexOfRow,  groups.scratch,
                         groups.rows, groups.first, groups.next, groups.count};
  requireOk(launch.device->ops().groupRows(&call, &args), launch, "groupRows");
}

}  // namespace parapet::tensor

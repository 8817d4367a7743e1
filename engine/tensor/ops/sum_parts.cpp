// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/sum_parts.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void sumParts(const Launch& launch, std::span<const float* const> parts, std::int64_t count,
              float* out) {
  const auto partCount = static_cast<std::int64_t>(parts.size());
  requireArgument(partCount >= 1, "sumParts", "number of parts", partCount,
                  "at least 1 is accepted");
  requireArgument(count >= 0, "sumParts", "count", count, "at least 0 is accepted");
  const PpCall call = makeCall(launch);
  const PpSumParts args{count, static_cast<std::int32_t>(partCount), parts.data(), out};
  requireOk(launch.device->ops().sumParts(&call, &args), launch, "sumParts");
}

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/fill.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void fill(const Launch& launch, float* out, std::int64_t count, float value) {
  requireArgument(count >= 0, "fill", "count", count, "at least 0 is accepted");
  const PpCall call = makeCall(launch);
  const PpFill args{out, count, value};
  requireOk(launch.device->ops().fill(&call, &args), launch, "fill");
}

}  // namespace parapet::tensor

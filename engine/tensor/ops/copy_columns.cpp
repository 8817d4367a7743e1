// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/copy_columns.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void copyColumns(const Launch& launch, std::int64_t rows, std::int64_t width, const float* in,
                 std::int64_t strideIn, float* out, std::int64_t strideOut, Accumulate accumulate) {
  constexpr std::string_view kOp = "copyColumns";
  requireArgument(rows >= 0, kOp, "rows", rows, "at least 0 is accepted");
  requireArgument(width >= 1, kOp, "width", width, "at least 1 is accepted");
  requireArgument(strideIn >= width, kOp, "stride of in", strideIn, "at least width is accepted");
  requireArgument(strideOut >= width, kOp, "stride of out", strideOut,
                  "at least width is accepted");
  const PpCall call = makeCall(launch);
  const PpCopyColumns args{
      rows, width, in, strideIn, out, strideOut, static_cast<std::int32_t>(accumulate)};
  requireOk(launch.device->ops().copyColumns(&call, &args), launch, kOp);
}

}  // namespace parapet::tensor

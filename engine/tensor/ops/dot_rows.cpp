// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/dot_rows.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void dotRows(const Launch& launch, std::int64_t rows, std::int64_t width, GatheredRows x,
             GatheredRows y, float* out, float* copyX) {
  requireArgument(rows >= 0, "dotRows", "rows", rows, "at least 0 is accepted");
  requireArgument(width >= 1, "dotRows", "width", width, "at least 1 is accepted");
  for (const GatheredRows& side : {x, y})
    if (side.rows) requireRowsInRange(launch, "dotRows", side.rows, rows, side.tableRows);
  const PpCall call = makeCall(launch);
  const PpDotRows args{rows,   width,  x.data,      x.rows, x.tableRows,
                       y.data, y.rows, y.tableRows, copyX,  out};
  requireOk(launch.device->ops().dotRows(&call, &args), launch, "dotRows");
}

void dotRowsGradient(const Launch& launch, std::int64_t rows, std::int64_t width, const float* x,
                     const float* y, const float* dout, float* dx, Accumulate accumulateX,
                     float* dy, Accumulate accumulateY) {
  requireArgument(rows >= 0, "dotRowsGradient", "rows", rows, "at least 0 is accepted");
  requireArgument(width >= 1, "dotRowsGradient", "width", width, "at least 1 is accepted");
  const PpCall call = makeCall(launch);
  const PpDotRowsGradient args{rows,
                               width,
                               x,
                               y,
                               dout,
                               dx,
                               static_cast<std::int32_t>(accumulateX),
                               dy,
                               static_cast<std::int32_t>(accumulateY)};
  requireOk(launch.device->ops().dotRowsGradient(&call, &args), launch, "dotRowsGradient");
}

}  // namespace parapet::tensor

// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/bags.h"

#include <fmt/format.h>

#include "engine/base/result.h"
#include "engine/tensor/kernels/kernel.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

void requireAscending(std::string_view op, const std::int32_t* offsets, std::int64_t bags) {
  for (std::int64_t b = 0; b < bags; ++b)
    if (offsets[b + 1] < offsets[b])
      throw InvalidArgument(fmt::format("[tensor.{}] offsets[{}] is {}; at least {} is accepted",
                                        op, b + 1, offsets[b + 1], offsets[b]));
}

}  // namespace

void bagRows(const Launch& launch, const float* table, std::int64_t tableRows, std::int64_t width,
             std::span<const std::int32_t> rows, const std::int32_t* offsets, const float* scales,
             std::int64_t bags, float* out) {
  constexpr std::string_view kOp = "bagRows";
  requireArgument(width >= 1, kOp, "width", width, "at least 1 is accepted");
  requireArgument(bags >= 0, kOp, "bags", bags, "at least 0 is accepted");
  const auto count = static_cast<std::int64_t>(rows.size());
  if (launch.device->isHost()) {
    if (offsets) requireAscending(kOp, offsets, bags);
    const std::int64_t values = bags > 0 ? BagValues(offsets, bags - 1).end : 0;
    requireArgument(count == values, kOp, "number of rows", count,
                    "as many as the bags have values are accepted");
  }
  requireRowsInRange(launch, kOp, rows.data(), count, tableRows);
  const PpCall call = makeCall(launch);
  const PpBagRows args{table, tableRows, width, rows.data(), offsets, scales, bags, out};
  requireOk(launch.device->ops().bagRows(&call, &args), launch, kOp);
}

void bagScales(const Launch& launch, CombinerOp combiner, const std::int32_t* offsets,
               const float* weights, std::int64_t bags, float* scales) {
  requireArgument(bags >= 0, "bagScales", "bags", bags, "at least 0 is accepted");
  if (launch.device->isHost()) requireAscending("bagScales", offsets, bags);
  const PpCall call = makeCall(launch);
  const PpBagScales args{static_cast<std::int32_t>(combiner), offsets, weights, bags, scales};
  requireOk(launch.device->ops().bagScales(&call, &args), launch, "bagScales");
}

}  // namespace parapet::tensor

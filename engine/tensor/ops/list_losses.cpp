// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/list_losses.h"

#include <algorithm>

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

std::int64_t checkedCount(std::string_view op, const ScoredLists& lists) {
  requirePositive(op, "temperature", lists.temperature);
  const auto offsets = lists.offsets;
  if (offsets.empty()) return 0;
  requireArgument(offsets.front() == 0, op, "offsets[0]", offsets.front(), "0 is accepted");
  const auto fall = std::ranges::adjacent_find(offsets, std::greater{});
  if (fall != offsets.end()) requireArgument(false, op, "an offset", fall[1], "they ascend");
  return static_cast<std::int64_t>(offsets.size()) - 1;
}

}  // namespace

double pairLoss(const Launch& launch, PairLossOp op, const ScoredLists& lists, float gradientScale,
                float* gradient) {
  const std::int64_t count = checkedCount("pairLoss", lists);
  double sum = 0.0;
  const PpCall call = makeCall(launch);
  const PpPairLoss args{static_cast<std::int32_t>(op),
                        lists.offsets.data(),
                        count,
                        lists.score,
                        lists.label,
                        lists.weight,
                        lists.temperature,
                        gradientScale,
                        gradient,
                        &sum};
  requireOk(launch.device->ops().pairLoss(&call, &args), launch, "pairLoss");
  return sum;
}

double listMle(const Launch& launch, const ScoredLists& lists, float gradientScale,
               std::int32_t* order, float* gradient) {
  const std::int64_t count = checkedCount("listMle", lists);
  double sum = 0.0;
  const PpCall call = makeCall(launch);
  const PpListMle args{lists.offsets.data(), count,         lists.score, lists.label, lists.weight,
                       lists.temperature,    gradientScale, order,       gradient,    &sum};
  requireOk(launch.device->ops().listMle(&call, &args), launch, "listMle");
  return sum;
}

}  // namespace parapet::tensor

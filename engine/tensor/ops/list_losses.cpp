// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/list_losses.h"

#include <algorithm>

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

std::int64_t checkedCount(const Launch& launch, std::string_view op, const ScoredLists& lists) {
  requirePositive(op, "temperature", lists.temperature);
  const auto offsets = lists.offsets;
  if (offsets.empty()) return 0;
  const auto count = static_cast<std::int64_t>(offsets.size()) - 1;
  if (!launch.device->isHost()) return count;
  requireArgument(offsets.front() == 0, op, "offsets[0]", offsets.front(), "0 is accepted");
  const auto fall = std::ranges::adjacent_find(offsets, std::greater{});
  if (fall != offsets.end()) requireArgument(false, op, "an offset", fall[1], "they ascend");
  return count;
}

}  // namespace

void pairLoss(const Launch& launch, PairLossOp op, const ScoredLists& lists, float gradientScale,
              float* gradient, double* sum) {
  const std::int64_t count = checkedCount(launch, "pairLoss", lists);
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
                        sum};
  requireOk(launch.device->ops().pairLoss(&call, &args), launch, "pairLoss");
}

void listMle(const Launch& launch, const ScoredLists& lists, float gradientScale,
             std::int32_t* order, float* gradient, double* sum) {
  const std::int64_t count = checkedCount(launch, "listMle", lists);
  const PpCall call = makeCall(launch);
  const PpListMle args{lists.offsets.data(), count,         lists.score, lists.label, lists.weight,
                       lists.temperature,    gradientScale, order,       gradient,    sum};
  requireOk(launch.device->ops().listMle(&call, &args), launch, "listMle");
}

}  // namespace parapet::tensor

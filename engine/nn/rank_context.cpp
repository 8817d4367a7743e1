// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/rank_context.h"

#include <algorithm>

namespace parapet::nn {

tensor::PickedRows pickedRows(const PlanView& plan, Value value, std::int64_t begin) {
  const auto& lookup = plan.layout.inPlace[static_cast<std::size_t>(value)];
  if (!lookup) return {PlanBuffers::at(plan.buffers.values, plan.graph, value, begin)};
  const Parameter& table = plan.parameters[static_cast<std::size_t>(lookup->table)];
  return {table.weight.data(),
          plan.input.features[static_cast<std::size_t>(lookup->feature)].ids.data() + begin,
          table.spec.rows};
}

tensor::PickedRows unchangedRows(const PlanView& plan, Value value) {
  if (const float* rows = PlanBuffers::at(plan.buffers.values, plan.graph, value, 0)) return {rows};
  return pickedRows(plan, value, 0);
}

tensor::Accumulate RankContext::accumulate(Value value) const {
  const bool add =
      accumulating_ && std::ranges::find(*accumulating_, value) != accumulating_->end();
  return add ? tensor::Accumulate::kYes : tensor::Accumulate::kNo;
}

std::span<const std::int32_t> RankContext::ids(std::int32_t feature) const {
  return plan_.input.features[static_cast<std::size_t>(feature)].ids.subspan(
      static_cast<std::size_t>(slice_.begin), static_cast<std::size_t>(slice_.rows()));
}

const float* RankContext::labels() const {
  if (plan_.input.labels.empty() && plan_.input.rows > 0)
    throw InvalidArgument("[nn.StepPlan] no labels; the loss is a target of this plan");
  return plan_.input.labels.data() + slice_.begin;
}

}  // namespace parapet::nn

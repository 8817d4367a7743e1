// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/table_update.h"

#include <algorithm>
#include <numeric>

namespace parapet::nn {

TableUpdate::TableUpdate(TableLayout layout, const PlanLayout& plan, const Graph& graph,
                         const tensor::Device& device)
    : layout_(std::move(layout)), capacityRows_(plan.capacity.rows) {
  std::int64_t ids = 0;
  for (const std::size_t lookup : layout_.lookups) ids += plan.maxIds(graph.lookups()[lookup]);
  for (auto* buffer : {&groupRows_, &first_, &next_, &scratch_})
    *buffer = tensor::Buffer<std::int32_t>(device, ids);
  if (layout_.lookups.size() == 1) return;
  ids_ = tensor::Buffer<std::int32_t>(device, ids);
  rowOfValue_ = tensor::Buffer<std::int32_t>(device, ids);
  scales_ = tensor::Buffer<float>(device, ids);
}

std::uint64_t TableUpdate::bytes() const {
  return groupRows_.bytes() + first_.bytes() + next_.bytes() + scratch_.bytes() + ids_.bytes() +
         rowOfValue_.bytes() + scales_.bytes();
}

void TableUpdate::group(const tensor::Launch& launch, ParameterShard& table,
                        std::span<const LookupRows> lookups) {
  const LookupRows& lone = lookups[layout_.lookups[0]];
  std::span<const std::int32_t> ids = lone.ids();
  gradRows_ = lone.rowOfValue();
  valueScales_ = lone.scales();
  if (layout_.lookups.size() > 1) {
    const bool scaled = std::ranges::any_of(
        layout_.lookups, [&](std::size_t lookup) { return lookups[lookup].scales() != nullptr; });
    std::int64_t end = 0;
    for (std::size_t i = 0; i < layout_.lookups.size(); ++i) {
      const LookupRows& rows = lookups[layout_.lookups[i]];
      const auto count = static_cast<std::int64_t>(rows.ids().size());
      const auto firstRow = static_cast<std::int32_t>(static_cast<std::int64_t>(i) * capacityRows_);
      std::ranges::copy(rows.ids(), ids_.data() + end);
      std::int32_t* const rowOfValue = rowOfValue_.data() + end;
      if (rows.rowOfValue())
        std::transform(rows.rowOfValue(), rows.rowOfValue() + count, rowOfValue,
                       [&](std::int32_t row) { return firstRow + row; });
      else
        std::iota(rowOfValue, rowOfValue + count, firstRow);
      if (scaled && rows.scales())
        std::copy_n(rows.scales(), count, scales_.data() + end);
      else if (scaled)
        std::fill_n(scales_.data() + end, count, 1.0f);
      end += count;
    }
    ids = {ids_.data(), static_cast<std::size_t>(end)};
    gradRows_ = rowOfValue_.data();
    valueScales_ = scaled ? scales_.data() : nullptr;
  }
  values_ = static_cast<std::int64_t>(ids.size());
  tensor::groupRows(launch, ids, table.rows, table.indexOfRow.data(),
                    {groupRows_.data(), first_.data(), next_.data(), scratch_.data(), &groups_});
}

tensor::UpdateTarget TableUpdate::target(ParameterShard& table, tensor::GatheredRows rows,
                                         const float* scale) const {
  return {.weight = table.weight.data(),
          .tableRows = table.rows,
          .width = table.cols,
          .rows = groupRows_.data(),
          .count = groups_,
          .grad = rows.data,
          .first = first_.data(),
          .next = next_.data(),
          .scale = scale ? scale : valueScales_,
          .gradRows = rows.rows ? rows.rows : gradRows_,
          .terms = values_,
          .nonFinite = nullptr};
}

}  // namespace parapet::nn

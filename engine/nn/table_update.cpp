// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/table_update.h"

#include <algorithm>

namespace parapet::nn {

TableUpdate::TableUpdate(TableLayout layout, const Graph& graph, const tensor::Device& device,
                         std::int64_t capacityRows)
    : layout_(std::move(layout)) {
  const auto lookups = static_cast<std::int64_t>(layout_.lookups.size());
  const std::int64_t places = capacityRows * lookups;
  for (auto* buffer : {&groupRows_, &first_, &next_, &scratch_})
    *buffer = tensor::Buffer<std::int32_t>(device, places);
  if (lookups == 1) return;
  ids_ = tensor::Buffer<std::int32_t>(device, places);
  grad_ = tensor::Buffer<float>(
      device, places * graph.parameters()[static_cast<std::size_t>(layout_.table)].cols);
}

std::uint64_t TableUpdate::bytes() const {
  return groupRows_.bytes() + first_.bytes() + next_.bytes() + scratch_.bytes() + ids_.bytes() +
         grad_.bytes();
}

void TableUpdate::group(const tensor::Launch& launch, Parameter& table,
                        std::span<const data::FeatureIds> features) {
  const auto idsOf = [&](const Lookup& lookup) {
    return features[static_cast<std::size_t>(lookup.feature)].ids;
  };
  std::span<const std::int32_t> ids = idsOf(layout_.lookups[0]);
  if (layout_.lookups.size() > 1) {
    std::int32_t* end = ids_.data();
    for (const Lookup& lookup : layout_.lookups) end = std::ranges::copy(idsOf(lookup), end).out;
    ids = {ids_.data(), end};
  }
  places_ = static_cast<std::int64_t>(ids.size());
  groups_ = tensor::groupRows(launch, ids, table.spec.rows, table.placeOfRow.data(),
                              {groupRows_.data(), first_.data(), next_.data(), scratch_.data()});
}

void TableUpdate::apply(const tensor::Launch& launch, Parameter& table,
                        std::span<const Gradient> gradients, std::int64_t step) {
  const std::int64_t width = table.spec.cols;
  Gradient gradient = gradients[0];
  if (gradients.size() > 1) {
    // Side by side, as their ids are.
    const std::int64_t rows = places_ / static_cast<std::int64_t>(gradients.size());
    for (std::size_t i = 0; i < gradients.size(); ++i)
      tensor::copyColumns(launch, rows, width, gradients[i].rows.data, width,
                          grad_.data() + static_cast<std::int64_t>(i) * rows * width, width,
                          tensor::Accumulate::kNo);
    gradient = {{grad_.data()}, nullptr};
  }
  updateParameter(launch, table,
                  {.weight = table.weight.data(),
                   .tableRows = table.spec.rows,
                   .width = width,
                   .rows = groupRows_.data(),
                   .count = groups_,
                   .grad = gradient.rows.data,
                   .first = first_.data(),
                   .next = next_.data(),
                   .scale = gradient.scale,
                   .gradRows = gradient.rows.rows,
                   .places = places_},
                  step);
}

}  // namespace parapet::nn

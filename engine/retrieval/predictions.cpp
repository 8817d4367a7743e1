// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/predictions.h"

#include <algorithm>
#include <numeric>

namespace parapet::retrieval {

void Predictions::add(const PredictionBlock& block) {
  prediction.insert(prediction.end(), block.prediction.begin(), block.prediction.end());
  label.insert(label.end(), block.label.begin(), block.label.end());
  weight.insert(weight.end(), block.weight.begin(), block.weight.end());
  group.insert(group.end(), block.group.begin(), block.group.end());
}

std::vector<std::size_t> rowsByGroup(const PredictionBlock& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return rows.group[row]; });
  return order;
}

}  // namespace parapet::retrieval

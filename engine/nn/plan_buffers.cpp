// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_buffers.h"

namespace parapet::nn {
PlanBuffers::PlanBuffers(const Graph& graph, const PlanLayout& layout, const tensor::Device& device)
    : values_(at(graph.values()), nullptr),
      gradients_(at(graph.values()), nullptr),
      scratch_(device, layout.capacity.rows * layout.scratchCols),
      batchScratch_(device, layout.batchScratch),
      staged_(device, layout.staged),
      scratchCols_(layout.scratchCols) {
  const std::int64_t rows = layout.capacity.rows;
  for (const TableLayout& table : layout.tables) {
    if (table.factored) continue;
    const std::int64_t cols = graph.parameters()[at(table.table)].cols;
    memory_.emplace_back(device, rows * cols * static_cast<std::int64_t>(table.lookups.size()));
    float* next = memory_.back().data();
    for (const std::size_t lookup : table.lookups) {
      gradients_[at(graph.lookups()[lookup].output)] = next;
      next += rows * cols;
    }
  }
  for (Value value = 0; value < graph.values(); ++value) {
    const std::int64_t cols = graph.cols(value);
    cols_.push_back(cols);
    if (layout.hasValue[at(value)]) {
      memory_.emplace_back(device, rows * cols);
      values_[at(value)] = memory_.back().data();
    }
    if (layout.hasGradient[at(value)] && !gradients_[at(value)]) {
      memory_.emplace_back(device, rows * cols);
      gradients_[at(value)] = memory_.back().data();
    }
  }
}

std::uint64_t PlanBuffers::bytes() const {
  std::uint64_t total = scratch_.bytes() + batchScratch_.bytes() + staged_.bytes();
  for (const auto& buffer : memory_) total += buffer.bytes();
  return total;
}

}  // namespace parapet::nn

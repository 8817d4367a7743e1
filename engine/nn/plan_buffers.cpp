// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_buffers.h"

namespace parapet::nn {
PlanBuffers::PlanBuffers(const Graph& graph, const PlanLayout& layout, const tensor::Device& device)
    : values_(at(graph.values()), nullptr),
      gradients_(at(graph.values()), nullptr),
      batchScratch_(device, layout.batchScratch),
      staged_(device, layout.staged) {
  const auto rowsOf = [&](Value value) { return layout.maxRows(graph, graph.rowSpace(value)); };
  for (std::size_t space = 0; space < layout.scratchCols.size(); ++space) {
    const std::int64_t cols = layout.scratchCols[space];
    const std::int64_t rows = layout.maxRows(graph, static_cast<RowSpace>(space));
    scratch_.push_back({tensor::Buffer<float>(device, rows * cols), cols});
  }
  for (const TableLayout& table : layout.tables) {
    if (table.factored || table.lookups.empty()) continue;
    const std::int64_t cols = graph.parameters()[at(table.table)].cols;
    std::int64_t rows = 0;
    for (const std::size_t lookup : table.lookups) rows += rowsOf(graph.lookups()[lookup].output);
    memory_.emplace_back(device, rows * cols);
    float* next = memory_.back().data();
    for (const std::size_t lookup : table.lookups) {
      const Value value = graph.lookups()[lookup].output;
      gradients_[at(value)] = next;
      next += rowsOf(value) * cols;
    }
  }
  std::vector<float*> shared;
  for (const BufferSharing::Buffer& buffer : layout.sharing.buffers) {
    memory_.emplace_back(device, layout.maxRows(graph, buffer.rows) * buffer.cols);
    shared.push_back(memory_.back().data());
  }
  for (Value value = 0; value < graph.values(); ++value) {
    cols_.push_back(graph.cols(value));
    if (const std::int32_t of = layout.sharing.ofValue[at(value)]; of >= 0)
      values_[at(value)] = shared[at(of)];
    if (const std::int32_t of = layout.sharing.ofGradient[at(value)]; of >= 0)
      gradients_[at(value)] = shared[at(of)];
  }
}

std::int64_t PlanBuffers::bytesFor(const Graph& graph, const PlanLayout& layout,
                                   const tensor::Device& device) {
  return layout.bufferElements(graph) * static_cast<std::int64_t>(sizeof(float)) +
         tensor::StagedArray<std::int32_t>::bytesFor(device, layout.staged);
}

std::uint64_t PlanBuffers::bytes() const {
  std::uint64_t total = batchScratch_.bytes() + staged_.bytes();
  for (const Scratch& scratch : scratch_) total += scratch.memory.bytes();
  for (const auto& buffer : memory_) total += buffer.bytes();
  return total;
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/nn/plan_layout.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// Activations and their gradients: once per memory space, slices own rows of them. Each has room
/// for as many rows as its row space may have; what is not needed at once may share memory (see
/// BufferSharing). The gradients of the lookups of one table are contiguous, so that its update
/// finds them all.
class PlanBuffers {
 public:
  PlanBuffers(const Graph& graph, const PlanLayout& layout, const tensor::Device& device);
  /// Row `row` of a value; null if it has no buffer.
  [[nodiscard]] float* value(Value value, std::int64_t row) const {
    return rowOf(values_, value, row);
  }
  [[nodiscard]] float* gradient(Value value, std::int64_t row) const {
    return rowOf(gradients_, value, row);
  }
  /// Scratch for gradients of a row space that are added to others; null if no node needs it.
  [[nodiscard]] float* scratch(RowSpace rows, std::int64_t row) {
    Scratch& scratch = scratch_[at(rows)];
    return scratch.memory.size() == 0 ? nullptr : scratch.memory.data() + row * scratch.cols;
  }
  /// For the nodes that work on the whole batch, one after another.
  [[nodiscard]] float* batchScratch() { return batchScratch_.data(); }
  [[nodiscard]] tensor::StagedArray<std::int32_t>& staged() { return staged_; }
  [[nodiscard]] std::uint64_t bytes() const;
  /// bytes() before the buffers exist.
  [[nodiscard]] static std::int64_t bytesFor(const Graph& graph, const PlanLayout& layout,
                                             const tensor::Device& device);

 private:
  [[nodiscard]] float* rowOf(const std::vector<float*>& buffers, Value value,
                             std::int64_t row) const {
    const auto index = static_cast<std::size_t>(value);
    return buffers[index] ? buffers[index] + row * cols_[index] : nullptr;
  }
  std::vector<tensor::Buffer<float>> memory_;
  std::vector<float*> values_, gradients_;  // by value
  std::vector<std::int64_t> cols_;
  struct Scratch {
    tensor::Buffer<float> memory;
    std::int64_t cols;
  };
  std::vector<Scratch> scratch_;  // by row space
  tensor::Buffer<float> batchScratch_;
  tensor::StagedArray<std::int32_t> staged_;
};

}  // namespace parapet::nn

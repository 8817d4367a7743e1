// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/nn/plan_layout.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// Activations and their gradients: once per memory space, slices own rows of them. The gradients
/// of the lookups of one table are contiguous, so that its update finds them all.
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
  /// Scratch for gradients that are added to others; null if no node needs it.
  [[nodiscard]] float* scratch(std::int64_t row) {
    return scratch_.size() == 0 ? nullptr : scratch_.data() + row * scratchCols_;
  }
  /// For the nodes that work on the whole batch, one after another.
  [[nodiscard]] float* batchScratch() { return batchScratch_.data(); }
  [[nodiscard]] tensor::StagedArray<std::int32_t>& staged() { return staged_; }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  [[nodiscard]] float* rowOf(const std::vector<float*>& buffers, Value value,
                             std::int64_t row) const {
    const auto index = static_cast<std::size_t>(value);
    return buffers[index] ? buffers[index] + row * cols_[index] : nullptr;
  }
  std::vector<tensor::Buffer<float>> memory_;
  std::vector<float*> values_, gradients_;  // by value
  std::vector<std::int64_t> cols_;
  tensor::Buffer<float> scratch_, batchScratch_;
  tensor::StagedArray<std::int32_t> staged_;
  std::int64_t scratchCols_ = 0;
};

}  // namespace parapet::nn

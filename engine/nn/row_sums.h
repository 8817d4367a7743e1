// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/ops/optimizers.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// Gradients of the rows of a shard, added up over the batches of a step: only rows that one of
/// them touched, in the order in which they came, so that a lazy update moves these rows and no
/// others.
///
/// The host keeps where each row's sum is; adding up is what a step of gradient descent at rate −1
/// does to a weight. All memory is taken at construction.
class RowSums {
 public:
  /// `rowsOfBatch`: most rows that one batch touches; `rowsOfStep`: all batches together.
  RowSums(const tensor::Device& device, std::int64_t tableRows, std::int64_t width,
          std::int64_t rowsOfBatch, std::int64_t rowsOfStep);

  /// sum[row] += the target's gradient of it.
  void add(const tensor::Launch& launch, const tensor::UpdateTarget& target);
  /// What an optimizer updates with the sums times `scale`: distinct rows [U] and their gradients
  /// [U, D], which may be clipped in place until the next add(). The sums begin anew.
  [[nodiscard]] tensor::UpdateTarget take(const tensor::Launch& launch, tensor::UpdateTarget target,
                                          float scale);
  [[nodiscard]] float* gradients() { return sums_.data(); }

 private:
  const tensor::Device device_;
  std::int64_t width_, count_ = 0;
  tensor::Buffer<float> sums_;              // [rowsOfStep, width]
  tensor::Buffer<std::int32_t> sumOfRow_;   // [tableRows] on the host; -1: no sum yet
  tensor::Buffer<std::int32_t> batchRows_;  // rows of a batch, where the host cannot read them
  tensor::StagedArray<std::int32_t> rows_;  // of the sums
  tensor::StagedArray<std::int32_t> into_;  // sums of the rows of a batch
};

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "engine/nn/lookup_rows.h"
#include "engine/nn/program.h"
#include "engine/tensor/ops/ops.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// The update of a table that is not sharded: the values of the batch are grouped by row, and
/// the optimizer merges the gradient of each row while it applies it. All memory is taken at
/// construction.
class TableUpdate {
 public:
  TableUpdate(TableGradient of, const Program& program, const Graph& graph,
              const tensor::Device& device);

  [[nodiscard]] const TableGradient& of() const { return of_; }

  /// Groups the ids of the batch on the host; needs no gradient, so it can run beside the forward
  /// pass. `lookups`: those of the graph, prepared.
  void group(ParameterShard& table, std::span<const LookupRows> lookups);

  /// What an optimizer updates. `rows`: where the gradients of the lookups are, those of the first,
  /// of the second after as many rows as the first may have, and so on; or the rows of a factored
  /// gradient with the factor `scale` of each.
  [[nodiscard]] tensor::UpdateTarget target(ParameterShard& table, tensor::GatheredRows rows,
                                            const float* scale) const;

 private:
  TableGradient of_;
  std::vector<std::int32_t> firstRows_;  ///< of each lookup among the gradients of all
  void join(std::span<const LookupRows> lookups);
  void upload();

  const tensor::Device device_;
  /// How many groups there are, where the device reads that; then the rows of the groups, their
  /// first values and the next value of each, of `capacity_` each: brought to the device at once.
  tensor::StagedArray<std::int32_t> grouped_;
  std::int64_t countElements_ = 0, capacity_ = 0;
  tensor::Buffer<std::int32_t> scratch_;
  tensor::Buffer<std::int32_t> indexOfRow_;  // where the table's own is out of the host's reach
  // Ids of all lookups one after the other; unused for a single one.
  tensor::Buffer<std::int32_t> ids_;
  tensor::StagedArray<std::int32_t> rowOfValue_;
  tensor::StagedArray<float> scales_;
  const std::int32_t* gradRows_ = nullptr;
  const float* valueScales_ = nullptr;
  std::int64_t groups_ = 0, values_ = 0;
};

}  // namespace parapet::nn

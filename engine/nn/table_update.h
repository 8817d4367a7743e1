// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "engine/data/batches.h"
#include "engine/nn/plan_layout.h"
#include "engine/tensor/ops/group_rows.h"

namespace parapet::nn {

/// The update of one table in a step: the places of the batch are grouped by row, and the optimizer
/// merges the gradient of each row while it applies it. All memory is taken at construction.
class TableUpdate {
 public:
  TableUpdate(TableLayout layout, const Graph& graph, const tensor::Device& device,
              std::int64_t capacityRows);

  [[nodiscard]] const TableLayout& layout() const { return layout_; }
  [[nodiscard]] std::uint64_t bytes() const;

  /// Groups the ids of the batch; needs no gradient, so it can run beside the forward pass.
  void group(const tensor::Launch& launch, Parameter& table,
             std::span<const data::FeatureIds> features);

  /// Where the gradient rows of the batch are: those of a factored gradient, or of each lookup.
  struct Gradient {
    tensor::PickedRows rows;       ///< row b of the batch
    const float* scale = nullptr;  ///< [B]; null: 1
  };
  /// Applies one optimizer step. `gradients`: one a lookup, in the layout's order.
  void apply(const tensor::Launch& launch, Parameter& table, std::span<const Gradient> gradients,
             std::int64_t step);

 private:
  TableLayout layout_;
  tensor::Buffer<std::int32_t> groupRows_, first_, next_, scratch_;
  tensor::Buffer<std::int32_t> ids_;  // of all lookups one after the other; unused for a single one
  tensor::Buffer<float> grad_;        // likewise
  std::int64_t groups_ = 0, places_ = 0;
};

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/nn/graph.h"

namespace parapet::nn {

struct PlanLayout;
enum class PlanPurpose;

/// Which values and gradients of a plan lie in the same memory, because no step needs them at once.
///
/// A step runs the nodes forward, then backward in the opposite order. A value is needed from the
/// node that writes it to the last node that reads it, in the backward pass if some node reads it
/// there (Node::backwardReads); a gradient from the first node of the backward pass that writes it
/// to the node that reads it. Two of them may share a buffer if these spans do not overlap and both
/// have the same rows and columns: slices run at their own pace, and each has the same rows of
/// either.
///
/// Not shared are targets, which are read after the step; what an update of tables reads; and
/// gradients that nothing writes, which stay 0.
struct BufferSharing {
  struct Buffer {
    RowSpace rows;
    std::int64_t cols;
  };
  std::vector<Buffer> buffers;
  /// The buffer of each value, and of its gradient; −1: it has none here.
  std::vector<std::int32_t> ofValue, ofGradient;

  BufferSharing() = default;
  /// `layout` has its nodes, values and gradients.
  BufferSharing(const Graph& graph, const PlanLayout& layout, const std::vector<Value>& targets,
                PlanPurpose purpose);
};

}  // namespace parapet::nn

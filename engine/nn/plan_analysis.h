// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/nn/graph.h"

namespace parapet::nn {

/// Nodes that the targets depend on, in execution order.
std::vector<const Node*> neededNodes(const Graph& graph, const std::vector<Value>& targets);

/// By value: whether its gradient is wanted, because it depends on a trained parameter.
std::vector<bool> wantedGradients(const Graph& graph, const std::vector<const Node*>& nodes);

/// How many numbers the update of a table needs room for.
struct TableUpdateSize {
  std::int64_t gathered = 0;  ///< ids of all lookups, side by side; 0 for a single lookup
  std::int64_t distinct = 0;  ///< most distinct rows that a batch can have
};
/// `lookups` of the table read one id per row of the batch each.
TableUpdateSize tableUpdateSize(const ParameterSpec& table, std::int64_t lookups,
                                std::int64_t capacityRows);

}  // namespace parapet::nn

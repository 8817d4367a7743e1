// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_analysis.h"

#include <algorithm>

#include "engine/nn/step_plan.h"

namespace parapet::nn {

std::vector<const Node*> neededNodes(const Graph& graph, const std::vector<Value>& targets) {
  std::vector<bool> needed(static_cast<std::size_t>(graph.values()), false);
  for (const Value target : targets) needed[static_cast<std::size_t>(target)] = true;
  std::vector<const Node*> nodes;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    if (!needed[static_cast<std::size_t>((*node)->output())]) continue;
    for (const Value input : (*node)->inputs()) needed[static_cast<std::size_t>(input)] = true;
    nodes.push_back(node->get());
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<bool> wantedGradients(const Graph& graph, const std::vector<const Node*>& nodes) {
  std::vector<bool> wanted(static_cast<std::size_t>(graph.values()), false);
  for (const Node* node : nodes) {
    bool any = false;
    for (const ParameterIndex parameter : node->parameters())
      any = any || graph.parameters()[static_cast<std::size_t>(parameter)].trainable;
    for (const Value input : node->inputs()) any = any || wanted[static_cast<std::size_t>(input)];
    wanted[static_cast<std::size_t>(node->output())] = any;
  }
  return wanted;
}

TableUpdateSize tableUpdateSize(const ParameterSpec& table, std::int64_t lookups,
                                std::int64_t capacityRows) {
  const std::int64_t ids = capacityRows * lookups;
  return {lookups > 1 ? ids : 0, std::min(ids, table.rows)};
}

// Counts what State::allocate and allocateUpdates make, in the same order. Ids and weights have
// four bytes each.
std::uint64_t StepPlan::estimateBytes(const Graph& graph, std::int64_t capacityRows, int ranks,
                                      PlanPurpose purpose) {
  std::vector<const Node*> nodes;
  for (const auto& node : graph.nodes()) nodes.push_back(node.get());
  const bool trains = purpose == PlanPurpose::kTrain;
  const std::vector<bool> wanted = wantedGradients(graph, nodes);
  std::int64_t numbers = 0;
  for (Value value = 0; value < graph.values(); ++value)
    numbers += capacityRows * graph.cols(value) *
               (trains && wanted[static_cast<std::size_t>(value)] ? 2 : 1);
  if (!trains) return static_cast<std::uint64_t>(numbers) * sizeof(float);

  for (std::size_t index = 0; index < graph.parameters().size(); ++index) {
    const ParameterSpec& spec = graph.parameters()[index];
    if (!spec.trainable) continue;
    if (!spec.sparse) {
      numbers += ranks * spec.rows * spec.cols;
      continue;
    }
    const auto lookups = std::ranges::count_if(graph.lookups(), [&](const Lookup& lookup) {
      return lookup.table == static_cast<ParameterIndex>(index);
    });
    const TableUpdateSize size = tableUpdateSize(spec, lookups, capacityRows);
    numbers += (size.gathered + size.distinct) * (1 + spec.cols);
  }
  return static_cast<std::uint64_t>(numbers) * sizeof(float);
}

}  // namespace parapet::nn

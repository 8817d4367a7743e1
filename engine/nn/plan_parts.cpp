// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_parts.h"

#include <algorithm>

namespace parapet::nn {

bool exchangesGradients(const ParameterSpec& spec, bool isReplicated, bool readsWhole,
                        std::size_t spaces, PlanPurpose purpose) {
  if (!isReplicated) return true;
  return !readsWhole && spaces > 1 && purpose == PlanPurpose::kTrain && spec.sparse &&
         spec.trainable;
}

PlanCapacity spaceCapacity(const mesh::DeviceMesh& mesh, int space, std::int64_t capacityRows,
                           std::vector<std::int64_t> idsPerRow, std::vector<bool> split,
                           int batchesPerStep) {
  const std::int64_t ranks = mesh.spaces()[at(space)].ranks;
  return {(capacityRows * ranks + mesh.ranks() - 1) / mesh.ranks(),
          static_cast<int>(ranks),
          std::move(idsPerRow),
          std::move(split),
          static_cast<int>(mesh.spaces().size()),
          capacityRows,
          mesh.device(mesh.spaces()[at(space)].firstRank).isHost(),
          batchesPerStep};
}

std::vector<StackParts> stackParts(const Graph& graph, const PlanLayout& layout,
                                   std::span<const mesh::Sharding> shardings, bool stackTables) {
  std::vector<StackParts> stacks;
  for (ParameterIndex index = 0; index < static_cast<ParameterIndex>(shardings.size()); ++index) {
    bool isRead = false;
    for (std::size_t i = 0; i < graph.lookups().size(); ++i)
      isRead = isRead || (graph.lookups()[i].table == index && layout.runs[i]);
    if (!layout.capacity.isSplit(index) || !isRead) continue;
    const auto same = std::ranges::find_if(stacks, [&](const StackParts& others) {
      return stackTables && shardings[at(others.tables[0])].hasSameSharding(shardings[at(index)]);
    });
    if (same == stacks.end())
      stacks.push_back({{index}, {}});
    else
      same->tables.push_back(index);
  }
  for (StackParts& stack : stacks)
    for (std::size_t i = 0; i < graph.lookups().size(); ++i)
      if (layout.runs[i] && std::ranges::count(stack.tables, graph.lookups()[i].table) > 0)
        stack.lookups.push_back(i);
  return stacks;
}

std::int64_t outputElements(const Graph& graph, Value target, std::int64_t capacityRows) {
  if (std::ranges::find(graph.losses(), target, &LossSpec::value) != graph.losses().end()) return 0;
  return capacityRows * graph.rowSpaces()[at(graph.rowSpace(target))].maxPerExample *
         graph.cols(target);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_parts.h"

#include <algorithm>

namespace parapet::nn {
namespace {

/// Whether an optimizer does the same with a gradient of all rows, 0 in most, as with that of the
/// rows that have one.
bool takesWholeGradient(const experiment::Optimizer& optimizer) {
  const bool isLazy = optimizer.sparseUpdate == experiment::SparseUpdate::kLazy;
  const bool decays = optimizer.weightDecay != 0.0;
  switch (optimizer.kind) {
    case experiment::OptimizerKind::kSgd:
      return !isLazy || (optimizer.momentum == 0.0 && !decays);
    case experiment::OptimizerKind::kAdagrad:
    case experiment::OptimizerKind::kRowwiseAdagrad:
      return optimizer.epsilon > 0.0 && (!isLazy || !decays);  // without epsilon 0/0
    case experiment::OptimizerKind::kAdam:
    case experiment::OptimizerKind::kAdamW:
      return !isLazy;
    case experiment::OptimizerKind::kFtrl:  // makes weights anew from its sums
      return false;
  }
  return false;
}

}  // namespace

bool addsWholeGradient(const ParameterSpec& spec, std::int64_t ids, std::size_t spaces) {
  if (!takesWholeGradient(spec.optimizer)) return false;
  const auto count = static_cast<std::int64_t>(spaces);
  return std::min(ids, spec.rows) * (spec.cols + 1) * count > 2 * spec.rows * spec.cols;
}

std::vector<bool> exchangedTables(const Graph& graph, const mesh::DeviceMesh& mesh,
                                  std::int64_t batchRows,
                                  const std::vector<std::int64_t>& idsPerRow, PlanPurpose purpose,
                                  const std::vector<bool>& replicated) {
  const std::size_t spaces = mesh.spaces().size();
  const std::int64_t rows = largestSpaceRows(mesh, batchRows);
  const PlanCapacity capacity{.idsPerRow = idsPerRow};
  std::vector<std::int64_t> ids(graph.parameters().size(), 0);  // of a space, by table
  for (const Lookup& lookup : graph.lookups())
    ids[at(lookup.table)] += rows * capacity.idsOf(lookup);
  std::vector<bool> exchanged;
  for (ParameterIndex of = 0; of < static_cast<ParameterIndex>(graph.parameters().size()); ++of) {
    const ParameterSpec& spec = graph.parameters()[at(of)];
    const bool updates = purpose == PlanPurpose::kTrain && spec.sparse && spec.trainable &&
                         spaces > 1 && !graph.readsWhole(of);
    exchanged.push_back(!replicated[at(of)] ||
                        (updates && !addsWholeGradient(spec, ids[at(of)], spaces)));
  }
  return exchanged;
}

std::int64_t largestSpaceRows(const mesh::DeviceMesh& mesh, std::int64_t batchRows) {
  const int most = std::ranges::max_element(mesh.spaces(), {}, &mesh::SpaceRanks::ranks)->ranks;
  return (batchRows * most + mesh.ranks() - 1) / mesh.ranks();
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
          mesh.spaceDevice(space).isHost(),
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

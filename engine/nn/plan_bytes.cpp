// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_bytes.h"

#include <algorithm>

#include "engine/nn/plan_parts.h"
#include "engine/nn/sharded_stack.h"
#include "engine/nn/space_plan.h"

namespace parapet::nn {
namespace {

/// Of what a space has once, the share of each of its ranks.
void shareOut(std::int64_t bytes, const mesh::SpaceRanks& space,
              std::vector<std::int64_t>& ofRank) {
  std::int64_t given = 0;
  for (int i = 0; i < space.ranks; ++i) {
    const std::int64_t upTo = bytes * (i + 1) / space.ranks;
    ofRank[at(space.firstRank + i)] += upTo - given;
    given = upTo;
  }
}

std::vector<bool> splitParameters(const Graph& graph, std::span<const mesh::Sharding> shardings,
                                  std::size_t spaces, PlanPurpose purpose) {
  std::vector<bool> split;
  for (ParameterIndex of = 0; of < static_cast<ParameterIndex>(shardings.size()); ++of)
    split.push_back(exchangesGradients(graph.parameters()[at(of)], shardings[at(of)].isReplicated(),
                                       graph.readsWhole(of), spaces, purpose));
  return split;
}

}  // namespace

std::vector<std::int64_t> planBytes(const Graph& graph, std::span<const mesh::Sharding> shardings,
                                    const mesh::DeviceMesh& mesh, const PlanTask& task,
                                    const std::vector<std::int64_t>& idsPerRow,
                                    const StepPlan::Exchange& exchange) {
  const std::vector<bool> split =
      splitParameters(graph, shardings, mesh.spaces().size(), task.purpose);
  std::vector<std::int64_t> ofRank(at(mesh.ranks()), 0);
  for (int space = 0; space < static_cast<int>(mesh.spaces().size()); ++space) {
    const PlanLayout layout(
        graph, task.targets, task.purpose,
        spaceCapacity(mesh, space, task.capacityRows, idsPerRow, split, task.batchesPerStep));
    const auto stacks = stackParts(graph, layout, shardings, exchange.stackTables);
    const int stages = sortsAhead(exchange.overlap, task.purpose, stacks.size()) ? 2 : 1;
    const mesh::SpaceRanks& ranks = mesh.spaces()[at(space)];
    shareOut(SpacePlan::bytesFor(graph, layout, shardings, mesh, space, task.purpose, stages),
             ranks, ofRank);
    for (const StackParts& stack : stacks) {
      const mesh::StackShape shape =
          ShardedStack::shapeOf(graph, layout, shardings, stack.tables, stack.lookups, mesh);
      for (int rank = ranks.firstRank; rank < ranks.firstRank + ranks.ranks; ++rank)
        ofRank[at(rank)] += stages * mesh::TableRoutes::bytesFor(mesh.device(rank), shape, rank) +
                            mesh::TableExchange::bytesFor(mesh.device(rank), shape, rank);
    }
  }
  if (mesh.spaces().size() > 1 || !mesh.device(0).isHost())
    for (const Value target : task.targets)
      ofRank[0] += outputElements(graph, target, task.capacityRows) *
                   static_cast<std::int64_t>(sizeof(float));
  return ofRank;
}

std::vector<SpaceParameters> spaceParameters(const Graph& graph,
                                             std::span<const mesh::Sharding> shardings,
                                             const mesh::DeviceMesh& mesh) {
  std::vector<SpaceParameters> spaces(mesh.spaces().size());
  for (std::size_t index = 0; index < shardings.size(); ++index) {
    ParameterSpec spec = graph.parameters()[index];
    const bool isTable = spec.sparse;
    for (int shard = 0; shard < shardings[index].shards(); ++shard) {
      spec.rows = shardings[index].shardRows(shard);
      spec.cols = shardings[index].shardCols(shard);
      const ParameterBytes bytes = parameterBytes(spec);
      std::vector<bool> has(spaces.size(), false);
      for (const int owner : shardings[index].owners(shard)) has[at(mesh.spaceOf(owner))] = true;
      for (std::size_t space = 0; space < spaces.size(); ++space) {
        if (!has[space]) continue;
        ParameterBytes& into = isTable ? spaces[space].tables : spaces[space].layers;
        into.weight += bytes.weight;
        into.slots += bytes.slots;
        into.scratch += bytes.scratch;
      }
    }
  }
  return spaces;
}

}  // namespace parapet::nn

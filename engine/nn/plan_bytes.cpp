// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_bytes.h"

#include <algorithm>

#include "engine/nn/plan_parts.h"
#include "engine/nn/sharded_stack.h"
#include "engine/nn/space_plan.h"

namespace parapet::nn {
namespace {

/// Divides bytes that a space has once among its ranks.
void shareOut(std::int64_t bytes, const mesh::SpaceRanks& space,
              std::vector<std::int64_t>& ofRank) {
  std::int64_t given = 0;
  for (int i = 0; i < space.ranks; ++i) {
    const std::int64_t upTo = bytes * (i + 1) / space.ranks;
    ofRank[at(space.firstRank + i)] += upTo - given;
    given = upTo;
  }
}

/// Bytes of a table in the host's memory whose cache has the rows of `spec`.
ParameterBytes cachedTableBytes(ParameterSpec spec, std::int64_t rows) {
  const auto scratch =
      static_cast<std::uint64_t>(RowCache::hostScratchFor(rows, spec.rows, cachedColumns(spec)));
  spec.rows = rows;
  ParameterBytes bytes = parameterBytes(spec);
  bytes.scratch = scratch;
  return bytes;
}

}  // namespace

std::vector<std::int64_t> planBytes(const Graph& graph, std::span<const mesh::Sharding> shardings,
                                    const mesh::DeviceMesh& mesh, const PlanTask& task,
                                    const std::vector<std::int64_t>& idsPerRow,
                                    const StepPlan::Exchange& exchange) {
  std::vector<bool> replicated;
  for (const mesh::Sharding& sharding : shardings) replicated.push_back(sharding.isReplicated());
  const std::vector<bool> split =
      exchangedTables(graph, mesh, task.capacityRows, idsPerRow, task.purpose, replicated);
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
      const tensor::Device& device = mesh.spaceDevice(space);
      shareOut(stages * mesh::TableRoutes::bytesFor(device, shape, space) +
                   mesh::TableExchange::bytesFor(device, shape, space),
               ranks, ofRank);
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
      spec.cols = shardings[index].shardCols(shard);
      for (const int space : shardings[index].owners(shard)) {
        spec.rows = spec.rowsIn(mesh.spaceDevice(space), shardings[index].shardRows(shard));
        ParameterBytes bytes = parameterBytes(spec);
        if (const std::int64_t all = shardings[index].shardRows(shard); spec.rows < all) {
          bytes.scratch +=
              static_cast<std::uint64_t>(RowCache::deviceBytesFor(spec.rows, cachedColumns(spec)));
          spaces[at(space)].onHost.add(cachedTableBytes(spec, all));
        }
        (isTable ? spaces[at(space)].tables : spaces[at(space)].layers).add(bytes);
      }
    }
  }
  return spaces;
}

ParameterBytes onHost(std::span<const SpaceParameters> spaces) {
  ParameterBytes total;
  for (const SpaceParameters& space : spaces) total.add(space.onHost);
  return total;
}

}  // namespace parapet::nn

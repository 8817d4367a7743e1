// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/sharded_stack.h"

#include <algorithm>

namespace parapet::nn {
namespace {

std::vector<mesh::Sharding> shardingsOf(std::span<const Parameter> parameters,
                                        const std::vector<ParameterIndex>& tables) {
  std::vector<mesh::Sharding> shardings;
  for (const ParameterIndex table : tables) shardings.push_back(parameters[at(table)].sharding);
  return shardings;
}

// A rank works on at most one row more than its share of the batch.
std::vector<mesh::StackLookup> stackLookups(const Graph& graph, const PlanLayout& layout,
                                            const std::vector<ParameterIndex>& tables,
                                            const std::vector<std::size_t>& lookups) {
  const std::int64_t ranks = layout.capacity.ranks;
  const std::int64_t rows = (layout.capacity.rows + ranks - 1) / ranks;
  std::vector<mesh::StackLookup> out;
  for (const std::size_t index : lookups) {
    const Lookup& lookup = graph.lookups()[index];
    const auto table = std::ranges::find(tables, lookup.table) - tables.begin();
    out.push_back({static_cast<int>(table), rows * (layout.maxIds(lookup) / layout.capacity.rows)});
  }
  return out;
}

std::vector<mesh::TableRoutes> makeRoutes(const Graph& graph, const PlanLayout& layout,
                                          std::span<const Parameter> parameters,
                                          const std::vector<ParameterIndex>& tables,
                                          const std::vector<std::size_t>& lookups,
                                          const mesh::DeviceMesh& mesh, int stages) {
  std::vector<mesh::TableRoutes> routes;
  for (int stage = 0; stage < stages; ++stage)
    routes.emplace_back(mesh.device(0), shardingsOf(parameters, tables),
                        stackLookups(graph, layout, tables, lookups), mesh.ranks());
  return routes;
}

}  // namespace

ShardedStack::ShardedStack(const Graph& graph, const PlanLayout& layout,
                           std::span<const Parameter> parameters,
                           std::vector<ParameterIndex> tables, std::vector<std::size_t> lookups,
                           const mesh::DeviceMesh& mesh, int stages)
    : tables_(std::move(tables)),
      lookups_(std::move(lookups)),
      routes_(makeRoutes(graph, layout, parameters, tables_, lookups_, mesh, stages)),
      exchange_(mesh.device(0), routes_[0]) {
  const auto ranks = static_cast<std::size_t>(mesh.ranks());
  idsOfRank_.assign(ranks, std::vector<std::span<const std::int32_t>>(lookups_.size()));
  weightsOfRank_.assign(ranks, std::vector<const float*>(tables_.size()));
  gradientsOfRank_.assign(ranks, std::vector<mesh::LookupGradient>(lookups_.size()));
}

void ShardedStack::route(std::size_t stage, int rank, mesh::RowSlice rows,
                         std::span<const LookupRows> lookups) {
  auto& ids = idsOfRank_[at(rank)];
  for (std::size_t i = 0; i < lookups_.size(); ++i) {
    const LookupRows& lookup = lookups[lookups_[i]];
    const auto [begin, end] = lookup.valueRange(rows.begin, rows.end);
    ids[i] = lookup.ids().subspan(static_cast<std::size_t>(begin),
                                  static_cast<std::size_t>(end - begin));
  }
  routes_[stage].route(rank, ids);
}

Status ShardedStack::fetch(const tensor::Launch& launch, std::span<const Parameter> parameters,
                           mesh::Communicator& communicator, Workers* workers) {
  PARAPET_TRY(routes_[now_].exchange(communicator));
  runBlocks(workers, routes().ranks(), [&](std::int64_t rank) {
    const int shard = routes_[now_].shardHeldBy(static_cast<int>(rank));
    if (shard < 0) return;
    auto& weights = weightsOfRank_[static_cast<std::size_t>(rank)];
    for (std::size_t table = 0; table < tables_.size(); ++table)
      weights[table] = parameters[at(tables_[table])].shards[at(shard)].weight.data();
    exchange_.gather({launch.device, nullptr}, routes_[now_], static_cast<int>(rank), weights);
  });
  return exchange_.exchangeRows(launch, routes_[now_], communicator);
}

Status ShardedStack::sendGradients(const tensor::Launch& launch,
                                   std::span<const float* const> gradients,
                                   std::span<const LookupRows> lookups, std::int64_t rows,
                                   const mesh::DeviceMesh& mesh, mesh::Communicator& communicator,
                                   Workers* workers) {
  const std::int64_t cols = routes_[now_].tables()[0].cols();
  runBlocks(workers, routes().ranks(), [&](std::int64_t index) {
    const auto rank = static_cast<int>(index);
    const mesh::RowSlice slice = mesh.slice(rank, rows);
    auto& ofRank = gradientsOfRank_[at(rank)];
    for (std::size_t i = 0; i < lookups_.size(); ++i) {
      const LookupRows& lookup = lookups[lookups_[i]];
      const std::int64_t first = lookup.valueRange(slice.begin, slice.begin).first;
      const std::int32_t* rowOfValue = lookup.rowOfValue();
      // Without bags a value is an example, and the rank begins with its first.
      ofRank[i].rows =
          !gradients[i] || rowOfValue ? gradients[i] : gradients[i] + slice.begin * cols;
      ofRank[i].rowOfValue = rowOfValue ? rowOfValue + first : nullptr;
      ofRank[i].scales = lookup.scales() ? lookup.scales() + first : nullptr;
    }
    exchange_.mergeGradients({launch.device, nullptr}, routes_[now_], rank, ofRank);
  });
  return exchange_.exchangeGradients(launch, routes_[now_], communicator);
}

tensor::UpdateTarget ShardedStack::target(const tensor::Launch& launch, Parameter& table,
                                          int position, int shard) {
  ParameterShard& held = table.shards[at(shard)];
  routes_[now_].group(launch, shard, position, held.indexOfRow.data());
  return exchange_.target(routes_[now_], shard, position, held.weight.data());
}

}  // namespace parapet::nn

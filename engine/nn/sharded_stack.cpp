// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/sharded_stack.h"

#include <algorithm>

#include "engine/nn/plan_parts.h"

namespace parapet::nn {
namespace {

std::vector<mesh::Sharding> shardingsOf(std::span<const Parameter> parameters,
                                        const std::vector<ParameterIndex>& tables) {
  std::vector<mesh::Sharding> shardings;
  for (const ParameterIndex table : tables) shardings.push_back(parameters[at(table)].sharding);
  return shardings;
}

// A space works on at most one row more than the share of its ranks.
std::vector<mesh::StackLookup> stackLookups(const Graph& graph, const PlanLayout& layout,
                                            const std::vector<ParameterIndex>& tables,
                                            const std::vector<std::size_t>& lookups,
                                            const mesh::DeviceMesh& mesh) {
  const std::int64_t rows = largestSpaceRows(mesh, layout.capacity.batchRows);
  std::vector<mesh::StackLookup> out;
  for (const std::size_t index : lookups) {
    const Lookup& lookup = graph.lookups()[index];
    const auto table = std::ranges::find(tables, lookup.table) - tables.begin();
    out.push_back({static_cast<int>(table), rows * layout.capacity.idsOf(lookup)});
  }
  return out;
}

/// The device of each memory space.
std::vector<tensor::Device> devicesOf(const mesh::DeviceMesh& mesh) {
  std::vector<tensor::Device> devices;
  for (int space = 0; space < static_cast<int>(mesh.spaces().size()); ++space)
    devices.push_back(mesh.spaceDevice(space));
  return devices;
}

std::vector<mesh::TableRoutes> makeRoutes(const Graph& graph, const PlanLayout& layout,
                                          std::span<const Parameter> parameters,
                                          const std::vector<ParameterIndex>& tables,
                                          const std::vector<std::size_t>& lookups,
                                          const mesh::DeviceMesh& mesh, int stages) {
  std::vector<mesh::TableRoutes> routes;
  for (int stage = 0; stage < stages; ++stage)
    routes.emplace_back(devicesOf(mesh), shardingsOf(parameters, tables),
                        stackLookups(graph, layout, tables, lookups, mesh));
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
      devices_(devicesOf(mesh)),
      exchange_(devices_, routes_[0]) {
  ids_.assign(devices_.size(), std::vector<std::span<const std::int32_t>>(lookups_.size()));
  shards_.assign(devices_.size(), std::vector<mesh::TableExchange::ShardRows>(tables_.size()));
  gradients_.assign(devices_.size(), std::vector<mesh::LookupGradient>(lookups_.size()));
}

mesh::StackShape ShardedStack::shapeOf(const Graph& graph, const PlanLayout& layout,
                                       std::span<const mesh::Sharding> shardings,
                                       const std::vector<ParameterIndex>& tables,
                                       const std::vector<std::size_t>& lookups,
                                       const mesh::DeviceMesh& mesh) {
  std::vector<mesh::Sharding> ofTables;
  for (const ParameterIndex table : tables) ofTables.push_back(shardings[at(table)]);
  return {std::move(ofTables), stackLookups(graph, layout, tables, lookups, mesh),
          static_cast<int>(mesh.spaces().size())};
}

void ShardedStack::route(std::size_t stage, int space, std::span<const LookupRows> lookups) {
  auto& ids = ids_[at(space)];
  for (std::size_t i = 0; i < lookups_.size(); ++i) ids[i] = lookups[lookups_[i]].ids();
  routes_[stage].route(space, ids);
}

Status ShardedStack::fetch(std::span<Parameter> parameters, mesh::Communicator& communicator,
                           RowCache::Use use, Workers* workers) {
  PARAPET_TRY(routes_[now_].exchange(communicator));
  if (!fetchesRows()) return {};
  runBlocks(workers, routes().ranks(), [&](std::int64_t index) {
    const auto space = static_cast<int>(index);
    const int shard = shape().shardOf(space);
    if (shard < 0) return;
    auto& shards = shards_[at(space)];
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      ParameterShard& held = parameters[at(tables_[table])].at({shard, shape().copyOf(space)});
      shards[table] = {held.weight.data(), held.rowsHere};
      if (!held.cache) continue;
      held.cache->beginStep();
      routes_[now_].renameHeld(space, static_cast<int>(table), [&](std::span<std::int32_t> rows) {
        held.cache->bring(rows, use, rows.data());
      });
    }
    exchange_.gather({&devices_[at(space)], nullptr}, routes_[now_], space, shards);
  });
  return exchange_.exchangeRows({&devices_[0], workers}, routes_[now_], communicator);
}

void ShardedStack::mergeGradients(const tensor::Launch& launch, int space,
                                  std::span<const float* const> gradients,
                                  std::span<const LookupRows> lookups) {
  auto& ofSpace = gradients_[at(space)];
  for (std::size_t i = 0; i < lookups_.size(); ++i) {
    const LookupRows::Arrays& rows = lookups[lookups_[i]].here();
    ofSpace[i] = {gradients[i], rows.rowOfValue, rows.scales};
  }
  exchange_.mergeGradients(launch, routes_[now_], space, ofSpace);
}

Status ShardedStack::sendGradients(mesh::Communicator& communicator, Workers* workers) {
  return exchange_.exchangeGradients({&devices_[0], workers}, routes_[now_], communicator);
}

tensor::UpdateTarget ShardedStack::target(const tensor::Launch& launch, Parameter& table,
                                          int position, mesh::ShardCopy of) {
  ParameterShard& held = table.at(of);
  routes_[now_].group(*launch.device, of, position, held.indexOfRow.data());
  return exchange_.target(routes_[now_], of, position, {held.weight.data(), held.rowsHere});
}

}  // namespace parapet::nn

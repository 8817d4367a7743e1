// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/sharded_stack.h"

#include <algorithm>

#include "engine/nn/program.h"

namespace parapet::nn {
namespace {

std::vector<mesh::StackLookup> stackLookups(const Graph& graph, const Program& program,
                                            const StackTables& of, const mesh::DeviceMesh& mesh) {
  const std::int64_t rows =
      largestSpaceRows(mesh, program.capacity.batchRows, program.capacity.lists);
  std::vector<mesh::StackLookup> out;
  for (const std::size_t index : of.lookups) {
    const Lookup& lookup = graph.lookups()[index];
    const auto table = std::ranges::find(of.tables, lookup.table) - of.tables.begin();
    out.push_back({static_cast<int>(table), rows * program.capacity.idsOf(lookup)});
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

std::vector<mesh::TableRoutes> makeRoutes(const Graph& graph, const Program& program,
                                          std::span<const Parameter> parameters,
                                          const StackTables& of, const mesh::DeviceMesh& mesh,
                                          int stages) {
  std::vector<mesh::Sharding> shardings;
  for (const ParameterIndex table : of.tables) shardings.push_back(parameters[at(table)].sharding);
  std::vector<mesh::TableRoutes> routes;
  for (int stage = 0; stage < stages; ++stage)
    routes.emplace_back(devicesOf(mesh), shardings, stackLookups(graph, program, of, mesh));
  return routes;
}

}  // namespace

ShardedStack::ShardedStack(const Graph& graph, const Program& program,
                           std::span<const Parameter> parameters, StackTables of,
                           const mesh::DeviceMesh& mesh, int stages)
    : of_(std::move(of)),
      routes_(makeRoutes(graph, program, parameters, of_, mesh, stages)),
      devices_(devicesOf(mesh)),
      exchange_(devices_, routes_[0]),
      ids_(devices_.size(), std::vector<std::span<const std::int32_t>>(of_.lookups.size())),
      shards_(devices_.size(), std::vector<mesh::TableExchange::ShardRows>(of_.tables.size())),
      gradients_(devices_.size(), std::vector<mesh::LookupGradient>(of_.lookups.size())) {}

void ShardedStack::route(std::size_t stage, int space, std::span<const LookupRows> lookups) {
  auto& ids = ids_[at(space)];
  for (std::size_t i = 0; i < of_.lookups.size(); ++i) ids[i] = lookups[of_.lookups[i]].ids();
  routes_[stage].route(space, ids);
}

void ShardedStack::gatherRows(std::span<Parameter> parameters, int space, RowCache::Use use) {
  const int shard = shape().shardOf(space);
  if (shard < 0) return;
  auto& shards = shards_[at(space)];
  for (std::size_t table = 0; table < of_.tables.size(); ++table) {
    ParameterShard& held = parameters[at(of_.tables[table])].at({shard, shape().copyOf(space)});
    shards[table] = {held.weight.data(), held.rowsHere};
    if (!held.cache) continue;
    held.cache->beginStep();
    routes_[now_].renameHeld(space, static_cast<int>(table), [&](std::span<std::int32_t> rows) {
      held.cache->bring(rows, use, rows.data());
    });
  }
  exchange_.gather({&devices_[at(space)], nullptr}, routes_[now_], space, shards);
}

void ShardedStack::mergeGradients(const tensor::Launch& launch, int space,
                                  std::span<const float* const> gradients,
                                  std::span<const LookupRows> lookups) {
  auto& ofSpace = gradients_[at(space)];
  for (std::size_t i = 0; i < of_.lookups.size(); ++i) {
    const LookupRows::Arrays& rows = lookups[of_.lookups[i]].here();
    ofSpace[i] = {gradients[i], rows.rowOfValue, rows.scales};
  }
  exchange_.mergeGradients(launch, routes_[now_], space, ofSpace);
}

tensor::UpdateTarget ShardedStack::target(const tensor::Launch& launch, Parameter& table,
                                          int position, mesh::ShardCopy of) {
  ParameterShard& held = table.at(of);
  routes_[now_].group(*launch.device, of, position, held.indexOfRow.data());
  return exchange_.target(routes_[now_], of, position, {held.weight.data(), held.rowsHere});
}

}  // namespace parapet::nn

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

mesh::ShardCopies copiesOn(const mesh::DeviceMesh& mesh) {
  return mesh.spaces().size() > 1 ? mesh::ShardCopies::kPerGroup : mesh::ShardCopies::kOne;
}

std::vector<mesh::TableRoutes> makeRoutes(const Graph& graph, const PlanLayout& layout,
                                          std::span<const Parameter> parameters,
                                          const std::vector<ParameterIndex>& tables,
                                          const std::vector<std::size_t>& lookups,
                                          const mesh::DeviceMesh& mesh, int stages) {
  std::vector<mesh::TableRoutes> routes;
  for (int stage = 0; stage < stages; ++stage)
    routes.emplace_back(mesh.devices(), shardingsOf(parameters, tables),
                        stackLookups(graph, layout, tables, lookups), copiesOn(mesh));
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
      exchange_(mesh.devices(), routes_[0]) {
  const auto ranks = static_cast<std::size_t>(mesh.ranks());
  idsOfRank_.assign(ranks, std::vector<std::span<const std::int32_t>>(lookups_.size()));
  weightsOfRank_.assign(ranks, std::vector<const float*>(tables_.size()));
  gradientsOfRank_.assign(ranks, std::vector<mesh::LookupGradient>(lookups_.size()));
}

mesh::StackShape ShardedStack::shapeOf(const Graph& graph, const PlanLayout& layout,
                                       std::span<const mesh::Sharding> shardings,
                                       const std::vector<ParameterIndex>& tables,
                                       const std::vector<std::size_t>& lookups,
                                       const mesh::DeviceMesh& mesh) {
  std::vector<mesh::Sharding> ofTables;
  for (const ParameterIndex table : tables) ofTables.push_back(shardings[at(table)]);
  return {std::move(ofTables), stackLookups(graph, layout, tables, lookups), mesh.ranks(),
          copiesOn(mesh)};
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

Status ShardedStack::fetch(const mesh::DeviceMesh& mesh, std::span<const Parameter> parameters,
                           mesh::Communicator& communicator, Workers* workers) {
  PARAPET_TRY(routes_[now_].exchange(communicator));
  if (!fetchesRows()) return {};
  runBlocks(workers, routes().ranks(), [&](std::int64_t index) {
    const auto rank = static_cast<int>(index);
    const int shard = shape().shardOf(rank);
    if (shard < 0) return;
    auto& weights = weightsOfRank_[at(rank)];
    for (std::size_t table = 0; table < tables_.size(); ++table)
      weights[table] =
          parameters[at(tables_[table])].at({shard, shape().copyOf(rank)}).weight.data();
    exchange_.gather({&mesh.device(rank), nullptr}, routes_[now_], rank, weights);
  });
  return exchange_.exchangeRows({&mesh.device(0), workers}, routes_[now_], communicator);
}

void ShardedStack::mergeGradients(const tensor::Launch& launch, int rank, mesh::RowSlice rows,
                                  std::span<const float* const> gradients,
                                  std::span<const LookupRows> lookups) {
  const std::int64_t cols = shape().cols();
  auto& ofRank = gradientsOfRank_[at(rank)];
  for (std::size_t i = 0; i < lookups_.size(); ++i) {
    const LookupRows& lookup = lookups[lookups_[i]];
    const std::int64_t first = lookup.valueRange(rows.begin, rows.begin).first;
    const std::int32_t* rowOfValue = lookup.here().rowOfValue;
    // What is not combined is a row of its own, and the rank begins with its first.
    ofRank[i].rows = !gradients[i] || rowOfValue ? gradients[i] : gradients[i] + first * cols;
    ofRank[i].rowOfValue = rowOfValue ? rowOfValue + first : nullptr;
    ofRank[i].scales = lookup.here().scales ? lookup.here().scales + first : nullptr;
  }
  exchange_.mergeGradients(launch, routes_[now_], rank, ofRank);
}

Status ShardedStack::sendGradients(const mesh::DeviceMesh& mesh, mesh::Communicator& communicator,
                                   Workers* workers) {
  return exchange_.exchangeGradients({&mesh.device(0), workers}, routes_[now_], communicator);
}

tensor::UpdateTarget ShardedStack::target(const tensor::Launch& launch, Parameter& table,
                                          int position, mesh::ShardCopy of) {
  ParameterShard& held = table.at(of);
  routes_[now_].group(*launch.device, of, position, held.indexOfRow.data());
  return exchange_.target(routes_[now_], of, position, held.weight.data());
}

}  // namespace parapet::nn

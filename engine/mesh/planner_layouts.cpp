// SPDX-License-Identifier: Apache-2.0
// The ways of sharding a table that a mesh allows, and what lies between its devices.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "engine/base/index.h"
#include "engine/experiment/experiment.h"
#include "engine/mesh/placement.h"
#include "engine/mesh/planner_costs.h"

namespace parapet::mesh {
namespace {

using experiment::Placement;

/// Every set of at least one axis along which there is more than one device.
std::vector<std::vector<std::string>> axisSets(const DeviceMesh& mesh) {
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < mesh.axes().size(); ++i)
    if (mesh.shape()[i] > 1) axes.push_back(mesh.axes()[i]);
  std::vector<std::vector<std::string>> sets;
  for (unsigned bits = 1; bits < (1u << axes.size()); ++bits) {
    std::vector<std::string> set;
    for (std::size_t i = 0; i < axes.size(); ++i)
      if ((bits >> i) & 1u) set.push_back(axes[i]);
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace

CostModel::CostModel(const PlanRequest& request) : request_(request) {
  const Hardware& hardware = request.hardware;
  members_.resize(hardware.spaces.size());
  for (const Hardware::Device& device : hardware.devices) {
    members_[at(device.space)].push_back(static_cast<int>(space_.size()));
    space_.push_back(device.space);
  }
  sharesMemory_ = std::ranges::all_of(space_, [this](int space) { return space == space_[0]; });
  for (int rank = 0; rank < ranks(); ++rank) {
    rows_.push_back(static_cast<double>(request.mesh.slice(rank, request.batchRows).rows()));
    const std::int64_t memory = profileOf(spaceOf(rank)).memoryBytes;
    const auto sharing = static_cast<std::int64_t>(members_[at(spaceOf(rank))].size());
    const std::int64_t own =
        memory > 0 ? memory / sharing : std::numeric_limits<std::int64_t>::max() / 4;
    capacity_.push_back(request.capacityBytes ? request.capacityBytes->of(rank) : own);
  }
  if (request.capacityBytes) keepToMemory();
  addLayout(Placement::kReplicated, {}, "");
  if (ranks() == 1) return;
  for (const Hardware::Device& device : hardware.devices)
    addLayout(Placement::kTable, {}, device.name);
  for (const auto& axes : axisSets(request.mesh))
    for (const Placement placement : {Placement::kRow, Placement::kRowBlock, Placement::kColumn})
      addLayout(placement, axes, "");
}

// Scales down the capacities of the ranks of one memory, or of the parts of one device, in
// proportion where they add up to more than it has.
void CostModel::keepToMemory() {
  std::map<std::string, std::vector<int>> sharing;
  for (int rank = 0; rank < ranks(); ++rank) {
    const std::string& name = request_.hardware.devices[at(rank)].name;
    const std::string whole = experiment::wholeDevice(name);
    const bool isPart = whole != name && whole.find(':') != std::string::npos;
    sharing[isPart ? whole : fmt::format("space {}", spaceOf(rank))].push_back(rank);
  }
  for (const auto& [device, members] : sharing) {
    std::set<int> spaces;
    double limits = 0.0, memory = 0.0;
    for (const int rank : members) {
      limits += static_cast<double>(capacity(rank));
      if (spaces.insert(spaceOf(rank)).second)
        memory += static_cast<double>(profileOf(spaceOf(rank)).memoryBytes);
    }
    if (memory <= 0.0 || limits <= memory) continue;
    for (const int rank : members)
      capacity_[at(rank)] =
          static_cast<std::int64_t>(static_cast<double>(capacity(rank)) * (memory / limits));
  }
}

void CostModel::addLayout(Placement placement, std::vector<std::string> axes,
                          const std::string& device) {
  Layout layout{.placement = placement,
                .axes = axes,
                .device = device,
                .owners = {},
                .shardOf = {},
                .groupSize = {},
                .secondsPerByte = {},
                .spacesOf = {},
                .syncSecondsPerByte = {}};
  experiment::Table table;
  table.placement = placement;
  table.axes = std::move(axes);
  table.embeddingDim = ranks();  // enough columns for any split
  if (!device.empty()) table.device = device;
  const auto sharding = placeTable(table, request_.mesh, ranks(), "");
  if (!sharding) return;
  layout.shardOf.assign(space_.size(), -1);
  std::vector<std::vector<int>> groups(sharding->owners(0).size());
  for (int shard = 0; shard < sharding->shards(); ++shard) {
    const std::vector<int>& owners = layout.owners.emplace_back(sharding->owners(shard));
    std::vector<int> spaces;
    for (std::size_t group = 0; group < owners.size(); ++group) {
      layout.shardOf[at(owners[group])] = shard;
      groups[group].push_back(owners[group]);
      if (std::ranges::find(spaces, spaceOf(owners[group])) == spaces.end())
        spaces.push_back(spaceOf(owners[group]));
    }
    double slowest = 0.0;
    for (const int space : spaces)
      slowest = std::max(slowest, secondsPerByte(owners[0], members_[at(space)][0]));
    layout.spacesOf.push_back(std::move(spaces));
    layout.syncSecondsPerByte.push_back(slowest);
  }
  layout.groupSize.assign(space_.size(), 1);
  layout.secondsPerByte.assign(space_.size(), 0.0);
  if (placement == Placement::kTable) {  // every rank exchanges with the owner
    const int owner = groups[0][0];
    groups[0].clear();
    for (int rank = 0; rank < ranks(); ++rank) groups[0].push_back(rank);
    for (int rank = 0; rank < ranks(); ++rank) {
      layout.groupSize[at(rank)] = ranks();
      if (rank == owner) continue;
      const double one = secondsPerByte(rank, owner);
      layout.secondsPerByte[at(rank)] = one;
      layout.secondsPerByte[at(owner)] += one / (ranks() - 1);
    }
  } else {
    for (const std::vector<int>& group : groups)
      for (const int rank : group) {
        layout.groupSize[at(rank)] = static_cast<int>(group.size());
        for (const int peer : group)
          if (peer != rank)
            layout.secondsPerByte[at(rank)] +=
                secondsPerByte(rank, peer) / static_cast<double>(group.size() - 1);
      }
  }
  layouts_.push_back(std::move(layout));
}

double CostModel::secondsPerByte(int from, int to) const {
  const Hardware& hardware = request_.hardware;
  const int a = spaceOf(from), b = spaceOf(to);
  if (a == b) return 2.0 / profileOf(a).streamBytesPerSecond;  // read and written
  const bool sameHost = hardware.spaces[at(a)].host == hardware.spaces[at(b)].host;
  return 1.0 / (sameHost ? hardware.withinHost : hardware.betweenHosts).bytesPerSecond;
}

}  // namespace parapet::mesh

// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/planner_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/index.h"
#include "engine/mesh/placement.h"

namespace parapet::mesh {
namespace {

using experiment::Placement;

constexpr double kFloatBytes = sizeof(float), kIdBytes = sizeof(std::int32_t);

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

/// Share of the rows of a step that a shard has.
double shareOf(const TableRequest& table, Placement placement, const ShardExtent& extent,
               int shards, int shard) {
  const auto rows = static_cast<double>(table.rows);
  if (placement != Placement::kRow && placement != Placement::kRowBlock) return 1.0;
  if (placement == Placement::kRow || table.accessCdf.size() < 2)
    return static_cast<double>(extent.rows) / rows;
  const auto below = [&](double share) {  // linear between the samples
    const double position = share * static_cast<double>(table.accessCdf.size() - 1);
    const auto left = std::min(static_cast<std::size_t>(position), table.accessCdf.size() - 2);
    const double fraction = position - static_cast<double>(left);
    return table.accessCdf[left] * (1.0 - fraction) + table.accessCdf[left + 1] * fraction;
  };
  const std::int64_t first = (table.rows + shards - 1) / shards * shard;
  if (extent.rows == 0) return 0.0;
  return below(static_cast<double>(first + extent.rows) / rows) -
         below(static_cast<double>(first) / rows);
}

}  // namespace

DistinctRows DistinctRows::uniform(std::int64_t rows) {
  DistinctRows curve;
  curve.rows_ = static_cast<double>(std::max<std::int64_t>(1, rows));
  return curve;
}

DistinctRows DistinctRows::measured(std::int64_t rows, Sample small, Sample large) {
  DistinctRows curve = uniform(rows);
  curve.measured_ = true;
  curve.at_ = large;
  if (large.ids > small.ids)
    curve.exponent_ = std::clamp(
        std::log(large.distinct / small.distinct) / std::log(large.ids / small.ids), 0.0, 1.0);
  return curve;
}

double DistinctRows::of(double ids) const {
  if (ids <= 0.0) return 0.0;
  const double found = measured_ ? at_.distinct * std::pow(ids / at_.ids, exponent_)
                                 : -rows_ * std::expm1(ids * std::log1p(-1.0 / rows_));
  return std::min({rows_ == 1.0 ? 1.0 : found, rows_, ids});
}

CostModel::CostModel(const PlanRequest& request) : request_(request) {
  const Hardware& hardware = request.hardware;
  members_.resize(hardware.spaces.size());
  for (const Hardware::Device& device : hardware.devices) {
    members_[at(device.space)].push_back(static_cast<int>(space_.size()));
    space_.push_back(device.space);
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    rows_.push_back(static_cast<double>(request.mesh.slice(rank, request.batchRows).rows()));
    const std::int64_t memory = profileOf(spaceOf(rank)).memoryBytes;
    const auto sharing = static_cast<std::int64_t>(members_[at(spaceOf(rank))].size());
    const std::int64_t own =
        memory > 0 ? memory / sharing : std::numeric_limits<std::int64_t>::max() / 4;
    capacity_.push_back(request.capacityBytes.value_or(own));
  }
  addLayout(Placement::kReplicated, {}, "");
  if (ranks() == 1) return;
  for (const Hardware::Device& device : hardware.devices)
    addLayout(Placement::kTable, {}, device.name);
  for (const auto& axes : axisSets(request.mesh))
    for (const Placement placement : {Placement::kRow, Placement::kRowBlock, Placement::kColumn})
      addLayout(placement, axes, "");
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
  if (placement == Placement::kTable) {  // everybody exchanges with the owner
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

CostModel::Traffic CostModel::trafficOf(const TableRequest& table, double rows) const {
  const double ids = rows * table.idsPerExample;
  return {ids, table.distinct.of(ids)};
}

void CostModel::cost(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  cost.devices.assign(space_.size(), {});
  cost.spaces.assign(members_.size(), {});
  if (layout.placement == Placement::kReplicated)
    replicatedCost(table, cost);
  else
    splitCost(table, layout, cost);
  updateCost(table, layout, cost);
  bufferCost(table, layout, cost);
}

/// Every rank reads the rows of its ids where they are.
void CostModel::replicatedCost(const TableRequest& table, TableCost& cost) const {
  const auto cols = static_cast<double>(table.table.embeddingDim);
  const double tableBytes = static_cast<double>(table.rows) * cols * kFloatBytes;
  for (int rank = 0; rank < ranks(); ++rank) {
    const DeviceProfile& profile = profileOf(spaceOf(rank));
    const double ids = rows_[at(rank)] * table.idsPerExample;
    TableCost::OfSpace& space = cost.spaces[at(spaceOf(rank))];
    space.compute += profile.lookupOf(tableBytes).seconds(ids, 2 * kFloatBytes * cols);
    space.update += ids * profile.groupSecondsPerId;
    cost.devices[at(rank)].rowsRead = ids;
  }
}

/// Every rank merges equal ids, requests rows of the owners of its group and gets a vector for each
/// distinct id; the gradients go the same way back.
void CostModel::splitCost(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  const auto cols = static_cast<double>(table.table.embeddingDim);
  const int shards = static_cast<int>(layout.owners.size());
  const bool byColumns = layout.placement == Placement::kColumn;
  const double requestedOfAll = byColumns ? shards : 1.0;
  std::vector<double> share(static_cast<std::size_t>(shards)), shardCols(share), shardBytes(share);
  for (int shard = 0; shard < shards; ++shard) {
    const ShardExtent extent =
        shardExtent(layout.placement, table.rows, table.table.embeddingDim, shards, shard);
    share[at(shard)] = shareOf(table, layout.placement, extent, shards, shard);
    shardCols[at(shard)] = static_cast<double>(extent.cols);
    shardBytes[at(shard)] = static_cast<double>(extent.rows * extent.cols) * kFloatBytes;
  }
  Traffic last;
  double lastRows = -1.0;
  for (int rank = 0; rank < ranks(); ++rank) {
    const DeviceProfile& profile = profileOf(spaceOf(rank));
    if (rows_[at(rank)] != lastRows) last = trafficOf(table, lastRows = rows_[at(rank)]);
    // Slices differ by a row at most, so the others of the group bring as much.
    const double group = last.distinct * layout.groupSize[at(rank)];
    const int own = layout.shardOf[at(rank)];
    const double ownShare = own < 0 ? 0.0 : share[at(own)];
    const double ownCols = own < 0 ? 0.0 : shardCols[at(own)];
    const double requested = ownShare * group;
    TableCost::OfDevice& device = cost.devices[at(rank)];
    device.rowsRead = requested;
    device.idBytes = kIdBytes * last.distinct * (requestedOfAll - ownShare);
    device.vectorBytes = kFloatBytes * ownCols * ownShare * (group - last.distinct);
    device.gradientBytes = kFloatBytes * last.distinct * (cols - ownShare * ownCols);
    const double idsIn = kIdBytes * ownShare * (group - last.distinct);
    TableCost::OfSpace& space = cost.spaces[at(spaceOf(rank))];
    const double vectors = std::max(device.vectorBytes, device.gradientBytes);
    const double ids = request_.overlap ? 0.0 : std::max(device.idBytes, idsIn);
    space.exchange += layout.secondsPerByte[at(rank)] * (2.0 * vectors + ids);
    space.compute += last.ids * profile.groupSecondsPerId +
                     profile.cachedLookup.seconds(last.ids, 2 * kFloatBytes * cols);
    if (own >= 0)
      space.compute +=
          profile.lookupOf(shardBytes[at(own)]).seconds(requested, 2 * kFloatBytes * ownCols);
    space.update += requested * profile.groupSecondsPerId +
                    profile.cachedLookup.seconds(last.ids, 3 * kFloatBytes * cols);
  }
  const double perTable = request_.stackTables ? 1.0 : 4.0;
  for (std::size_t s = 0; s < members_.size(); ++s)
    cost.spaces[s].exchange += perTable * profileOf(static_cast<int>(s)).nodeSeconds;
}

/// Each memory space that has a shard merges the gradients it received and updates its rows once.
void CostModel::updateCost(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  const int shards = static_cast<int>(layout.owners.size());
  const Traffic all = trafficOf(table, static_cast<double>(request_.batchRows));
  for (int shard = 0; shard < shards; ++shard) {
    const ShardExtent extent =
        shardExtent(layout.placement, table.rows, table.table.embeddingDim, shards, shard);
    const double share = shareOf(table, layout.placement, extent, shards, shard);
    const auto cols = static_cast<double>(extent.cols), rows = static_cast<double>(extent.rows);
    const double elementBytes = kFloatBytes + static_cast<double>(table.slotBytesPerElement);
    // Weight and slots are read and written, the gradient is read.
    const double rowBytes =
        cols * (2 * elementBytes + kFloatBytes) + 2 * static_cast<double>(table.bytesPerRow);
    const double moved = table.updatesEveryRow ? rows : share * all.distinct;
    const std::vector<int>& spaces = layout.spacesOf[at(shard)];
    const auto copies = static_cast<double>(spaces.size());
    const double merged = share * table.distinct.of(all.ids / copies);
    const double sync = copies == 1.0
                            ? 0.0
                            : std::min((copies - 1) * merged * (kIdBytes + kFloatBytes * cols),
                                       2 * (copies - 1) / copies * rows * cols * kFloatBytes);
    for (const int space : spaces) {
      const DeviceProfile& profile = profileOf(space);
      TableCost::OfSpace& times = cost.spaces[at(space)];
      if (table.table.trainable) {
        times.update +=
            profile.nodeSeconds +
            (table.updatesEveryRow
                 ? moved * rowBytes / profile.streamBytesPerSecond
                 : profile.updateOf(rows * cols * elementBytes).seconds(moved, rowBytes));
        times.exchange += sync * layout.syncSecondsPerByte[at(shard)];
      }
      const std::int64_t bytes = table.shardBytes(extent.rows, extent.cols);
      std::vector<int> sharing;
      for (const int owner : layout.owners[at(shard)])
        if (spaceOf(owner) == space) sharing.push_back(owner);
      const auto count = static_cast<std::int64_t>(sharing.size());
      for (std::int64_t i = 0; i < count; ++i)
        cost.devices[at(sharing[static_cast<std::size_t>(i)])].bytes +=
            bytes * (i + 1) / count - bytes * i / count;
      if (table.table.trainable) cost.devices[at(sharing[0])].gradientBytes += sync;
    }
  }
}

TableCost CostModel::denseCost() const {
  const DenseRequest& dense = request_.dense;
  TableCost cost;
  cost.devices.resize(space_.size());
  cost.spaces.resize(members_.size());
  const auto used = std::ranges::count_if(members_, [](const auto& m) { return !m.empty(); });
  const auto copies = static_cast<double>(used);
  const double reduced = 2 * (copies - 1) / copies * static_cast<double>(dense.gradientBytes);
  for (int s = 0; s < spaces(); ++s) {
    const std::vector<int>& members = members_[at(s)];
    const auto count = static_cast<std::int64_t>(members.size());
    if (count == 0) continue;
    const DeviceProfile& profile = profileOf(s);
    double rows = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
      const int rank = members[static_cast<std::size_t>(i)];
      rows += rows_[at(rank)];
      cost.devices[at(rank)].bytes = dense.parameterBytes * (i + 1) / count -
                                     dense.parameterBytes * i / count + bufferBytes(rank);
    }
    TableCost::OfSpace& times = cost.spaces[at(s)];
    times.compute = rows * (dense.trainingFlopsPerExample / profile.flopsPerSecond +
                            dense.bytesPerExample / profile.streamBytesPerSecond) +
                    2.0 * dense.nodes * profile.nodeSeconds + profile.stepSeconds;
    const auto gradients = static_cast<double>(dense.gradientBytes * count);
    times.update = (gradients + 2.0 * static_cast<double>(dense.parameterBytes)) /
                   profile.streamBytesPerSecond;
    if (used < 2) continue;
    double slowest = 0.0;
    for (const std::vector<int>& others : members_)
      if (!others.empty()) slowest = std::max(slowest, secondsPerByte(members[0], others[0]));
    times.exchange = reduced * slowest + request_.hardware.betweenHosts.latencySeconds;
    cost.devices[at(members[0])].gradientBytes = reduced;
  }
  return cost;
}

}  // namespace parapet::mesh

// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/planner_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/mesh/placement.h"

namespace parapet::mesh {
namespace {

using experiment::Placement;

constexpr double kNumber = sizeof(float), kId = sizeof(std::int32_t);

template <class T>
T& at(std::vector<T>& values, int index) {
  return values[static_cast<std::size_t>(index)];
}
template <class T>
const T& at(const std::vector<T>& values, int index) {
  return values[static_cast<std::size_t>(index)];
}

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
  if (placement == Placement::kRow || table.loadBelow.size() < 2)
    return static_cast<double>(extent.rows) / rows;
  const auto below = [&](double share) {  // linear between the samples
    const double place = share * static_cast<double>(table.loadBelow.size() - 1);
    const auto left = std::min(static_cast<std::size_t>(place), table.loadBelow.size() - 2);
    const double part = place - static_cast<double>(left);
    return table.loadBelow[left] * (1.0 - part) + table.loadBelow[left + 1] * part;
  };
  const std::int64_t first = (table.rows + shards - 1) / shards * shard;
  if (extent.rows == 0) return 0.0;
  return below(static_cast<double>(first + extent.rows) / rows) -
         below(static_cast<double>(first) / rows);
}

}  // namespace

DistinctRows DistinctRows::even(std::int64_t rows) {
  DistinctRows curve;
  curve.rows_ = static_cast<double>(std::max<std::int64_t>(1, rows));
  return curve;
}

DistinctRows DistinctRows::measured(std::int64_t rows, Sample small, Sample large) {
  DistinctRows curve = even(rows);
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
    at(members_, device.space).push_back(static_cast<int>(space_.size()));
    space_.push_back(device.space);
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    rows_.push_back(static_cast<double>(request.mesh.slice(rank, request.batchRows).rows()));
    const std::int64_t memory = profileOf(spaceOf(rank)).memoryBytes;
    const auto sharing = static_cast<std::int64_t>(at(members_, spaceOf(rank)).size());
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
                .holders = {},
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
  std::vector<std::vector<int>> groups(sharding->holders(0).size());
  for (int shard = 0; shard < sharding->shards(); ++shard) {
    const std::vector<int>& holders = layout.holders.emplace_back(sharding->holders(shard));
    std::vector<int> spaces;
    for (std::size_t group = 0; group < holders.size(); ++group) {
      at(layout.shardOf, holders[group]) = shard;
      groups[group].push_back(holders[group]);
      if (std::ranges::find(spaces, spaceOf(holders[group])) == spaces.end())
        spaces.push_back(spaceOf(holders[group]));
    }
    double slowest = 0.0;
    for (const int space : spaces)
      slowest = std::max(slowest, secondsPerByte(holders[0], at(members_, space)[0]));
    layout.spacesOf.push_back(std::move(spaces));
    layout.syncSecondsPerByte.push_back(slowest);
  }
  layout.groupSize.assign(space_.size(), 1);
  layout.secondsPerByte.assign(space_.size(), 0.0);
  if (placement == Placement::kTable) {  // everybody exchanges with the holder
    const int holder = groups[0][0];
    groups[0].clear();
    for (int rank = 0; rank < ranks(); ++rank) groups[0].push_back(rank);
    for (int rank = 0; rank < ranks(); ++rank) {
      at(layout.groupSize, rank) = ranks();
      if (rank == holder) continue;
      const double one = secondsPerByte(rank, holder);
      at(layout.secondsPerByte, rank) = one;
      at(layout.secondsPerByte, holder) += one / (ranks() - 1);
    }
  } else {
    for (const std::vector<int>& group : groups)
      for (const int rank : group) {
        at(layout.groupSize, rank) = static_cast<int>(group.size());
        for (const int peer : group)
          if (peer != rank)
            at(layout.secondsPerByte, rank) +=
                secondsPerByte(rank, peer) / static_cast<double>(group.size() - 1);
      }
  }
  layouts_.push_back(std::move(layout));
}

double CostModel::secondsPerByte(int from, int to) const {
  const Hardware& hardware = request_.hardware;
  const int a = spaceOf(from), b = spaceOf(to);
  if (a == b) return 2.0 / profileOf(a).streamBytesPerSecond;  // read and written
  const bool sameHost = at(hardware.spaces, a).host == at(hardware.spaces, b).host;
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
  const double tableBytes = static_cast<double>(table.rows) * cols * kNumber;
  for (int rank = 0; rank < ranks(); ++rank) {
    const DeviceProfile& profile = profileOf(spaceOf(rank));
    const double ids = at(rows_, rank) * table.idsPerExample;
    TableCost::OfSpace& space = at(cost.spaces, spaceOf(rank));
    space.compute += profile.lookupOf(tableBytes).seconds(ids, 2 * kNumber * cols);
    space.update += ids * profile.groupSecondsPerId;
    at(cost.devices, rank).rowsRead = ids;
  }
}

/// Every rank merges equal ids, asks the holders of its group and gets a vector for each distinct
/// id; the gradients go the same way back.
void CostModel::splitCost(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  const auto cols = static_cast<double>(table.table.embeddingDim);
  const int shards = static_cast<int>(layout.holders.size());
  const bool byColumns = layout.placement == Placement::kColumn;
  const double askedOfAll = byColumns ? shards : 1.0;
  std::vector<double> share(static_cast<std::size_t>(shards)), shardCols(share), shardBytes(share);
  for (int shard = 0; shard < shards; ++shard) {
    const ShardExtent extent =
        shardExtent(layout.placement, table.rows, table.table.embeddingDim, shards, shard);
    at(share, shard) = shareOf(table, layout.placement, extent, shards, shard);
    at(shardCols, shard) = static_cast<double>(extent.cols);
    at(shardBytes, shard) = static_cast<double>(extent.rows * extent.cols) * kNumber;
  }
  Traffic last;
  double lastRows = -1.0;
  for (int rank = 0; rank < ranks(); ++rank) {
    const DeviceProfile& profile = profileOf(spaceOf(rank));
    if (at(rows_, rank) != lastRows) last = trafficOf(table, lastRows = at(rows_, rank));
    // Slices differ by a row at most, so the others of the group bring as much.
    const double group = last.distinct * at(layout.groupSize, rank);
    const int own = at(layout.shardOf, rank);
    const double ownShare = own < 0 ? 0.0 : at(share, own);
    const double ownCols = own < 0 ? 0.0 : at(shardCols, own);
    const double asked = ownShare * group;
    TableCost::OfDevice& device = at(cost.devices, rank);
    device.rowsRead = asked;
    device.idBytes = kId * last.distinct * (askedOfAll - ownShare);
    device.vectorBytes = kNumber * ownCols * ownShare * (group - last.distinct);
    device.gradientBytes = kNumber * last.distinct * (cols - ownShare * ownCols);
    const double idsIn = kId * ownShare * (group - last.distinct);
    TableCost::OfSpace& space = at(cost.spaces, spaceOf(rank));
    const double vectors = std::max(device.vectorBytes, device.gradientBytes);
    const double ids = request_.overlap ? 0.0 : std::max(device.idBytes, idsIn);
    space.exchange += at(layout.secondsPerByte, rank) * (2.0 * vectors + ids);
    space.compute += last.ids * profile.groupSecondsPerId +
                     profile.cachedLookup.seconds(last.ids, 2 * kNumber * cols);
    if (own >= 0)
      space.compute += profile.lookupOf(at(shardBytes, own)).seconds(asked, 2 * kNumber * ownCols);
    space.update += asked * profile.groupSecondsPerId +
                    profile.cachedLookup.seconds(last.ids, 3 * kNumber * cols);
  }
  const double perTable = request_.stackTables ? 1.0 : 4.0;
  for (std::size_t s = 0; s < members_.size(); ++s)
    cost.spaces[s].exchange += perTable * profileOf(static_cast<int>(s)).nodeSeconds;
}

/// Each memory space that has a shard merges what came for it and moves its rows once.
void CostModel::updateCost(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  const int shards = static_cast<int>(layout.holders.size());
  const Traffic all = trafficOf(table, static_cast<double>(request_.batchRows));
  for (int shard = 0; shard < shards; ++shard) {
    const ShardExtent extent =
        shardExtent(layout.placement, table.rows, table.table.embeddingDim, shards, shard);
    const double share = shareOf(table, layout.placement, extent, shards, shard);
    const auto cols = static_cast<double>(extent.cols), rows = static_cast<double>(extent.rows);
    const double numberBytes = kNumber + static_cast<double>(table.slotBytesPerNumber);
    // Weight and slots are read and written, the gradient is read.
    const double rowBytes =
        cols * (2 * numberBytes + kNumber) + 2 * static_cast<double>(table.bytesPerRow);
    const double moved = table.updatesEveryRow ? rows : share * all.distinct;
    const std::vector<int>& spaces = at(layout.spacesOf, shard);
    const auto copies = static_cast<double>(spaces.size());
    const double merged = share * table.distinct.of(all.ids / copies);
    const double sync = copies == 1.0 ? 0.0
                                      : std::min((copies - 1) * merged * (kId + kNumber * cols),
                                                 2 * (copies - 1) / copies * rows * cols * kNumber);
    for (const int space : spaces) {
      const DeviceProfile& profile = profileOf(space);
      TableCost::OfSpace& times = at(cost.spaces, space);
      if (table.table.trainable) {
        times.update +=
            profile.nodeSeconds +
            (table.updatesEveryRow
                 ? moved * rowBytes / profile.streamBytesPerSecond
                 : profile.updateOf(rows * cols * numberBytes).seconds(moved, rowBytes));
        times.exchange += sync * at(layout.syncSecondsPerByte, shard);
      }
      const std::int64_t bytes = table.shardBytes(extent.rows, extent.cols);
      std::vector<int> sharing;
      for (const int holder : at(layout.holders, shard))
        if (spaceOf(holder) == space) sharing.push_back(holder);
      const auto count = static_cast<std::int64_t>(sharing.size());
      for (std::int64_t i = 0; i < count; ++i)
        at(cost.devices, sharing[static_cast<std::size_t>(i)]).bytes +=
            bytes * (i + 1) / count - bytes * i / count;
      if (table.table.trainable) at(cost.devices, sharing[0]).gradientBytes += sync;
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
    const std::vector<int>& members = at(members_, s);
    const auto count = static_cast<std::int64_t>(members.size());
    if (count == 0) continue;
    const DeviceProfile& profile = profileOf(s);
    double rows = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
      const int rank = members[static_cast<std::size_t>(i)];
      rows += at(rows_, rank);
      at(cost.devices, rank).bytes = dense.parameterBytes * (i + 1) / count -
                                     dense.parameterBytes * i / count + bufferBytes(rank);
    }
    TableCost::OfSpace& times = at(cost.spaces, s);
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
    at(cost.devices, members[0]).gradientBytes = reduced;
  }
  return cost;
}

}  // namespace parapet::mesh

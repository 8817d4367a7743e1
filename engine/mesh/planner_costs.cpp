// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/planner_costs.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"

namespace parapet::mesh {
namespace {

using experiment::Placement;

constexpr double kFloatBytes = sizeof(float), kIdBytes = sizeof(std::int32_t);
/// Time of a copy between two ranks of a memory space, besides its bytes.
constexpr double kBlockSeconds = 5e-8;

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

CostModel::Traffic CostModel::trafficOf(const TableRequest& table, double rows) const {
  const double ids = rows * table.idsPerExample;
  return {ids, table.distinct.of(ids)};
}

// The profile answers for devices that are not here.
bool CostModel::ownsMemory(int space) const {
  const std::vector<int>& members = members_[at(space)];
  if (request_.mesh.isHypothetical() || members.empty()) return !profileOf(space).sharesMemory;
  return !request_.mesh.device(members[0]).isHost();
}

bool CostModel::needsFetch(const TableRequest& table) const {
  return table.cacheRows > 0 && table.cacheRows < table.rows && !sharesMemory_ &&
         std::ranges::any_of(space_, [this](int space) { return ownsMemory(space); });
}

void CostModel::cost(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  cost.devices.assign(space_.size(), {});
  cost.spaces.assign(members_.size(), {});
  const Layout& held = sharesMemory_ ? layouts_.front() : layout;  // the first is replicated
  if (fetchesRows(layout))
    splitCost(table, layout, cost);
  else
    wholeCost(table, cost);
  updateCost(table, held, cost);
  bufferCost(table, held, cost);
  if (&held != &layout) shareOut(table, layout, cost);
}

/// Every rank reads the rows of its ids where they are.
void CostModel::wholeCost(const TableRequest& table, TableCost& cost) const {
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
/// distinct id; the gradients return along the same route.
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
    // Blocks within a memory space: gathered, sent and brought; columns joined and split, too.
    const double blocks =
        (byColumns ? 6.0 : 4.0) * static_cast<double>(members_[at(spaceOf(rank))].size());
    space.exchange +=
        layout.secondsPerByte[at(rank)] * (2.0 * vectors + ids) + blocks * kBlockSeconds;
    // Each distinct row is joined from the columns of every shard, and split again in the backward
    // pass.
    const double pieces = byColumns ? profile.cachedLookup.seconds(last.distinct * shards,
                                                                   2 * kFloatBytes * cols / shards)
                                    : 0.0;
    space.compute += last.ids * profile.groupSecondsPerId +
                     profile.cachedLookup.seconds(last.ids, 2 * kFloatBytes * cols) + pieces;
    if (own >= 0)
      space.compute +=
          profile.lookupOf(shardBytes[at(own)]).seconds(requested, 2 * kFloatBytes * ownCols);
    // Equal ids are grouped by the rank, whose gradients it adds up, and again by the owner.
    space.update += (last.ids + requested) * profile.groupSecondsPerId +
                    profile.cachedLookup.seconds(last.ids, 3 * kFloatBytes * cols) + pieces +
                    profile.cachedLookup.seconds(requested, kFloatBytes * ownCols);
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
    const std::vector<int>& spaces = layout.spacesOf[at(shard)];
    const auto copies = static_cast<double>(spaces.size());
    const bool isWhole =
        layout.placement == Placement::kReplicated && copies > 1.0 && table.addsWholeGradient;
    const double moved = table.updatesEveryRow || isWhole ? rows : share * all.distinct;
    const double merged = share * table.distinct.of(all.ids / copies);
    const double sync = isWhole ? 2 * (copies - 1) / copies * rows * cols * kFloatBytes
                                : (copies - 1) * merged * (kIdBytes + kFloatBytes * cols);
    for (const int space : spaces) {
      const DeviceProfile& profile = profileOf(space);
      TableCost::OfSpace& times = cost.spaces[at(space)];
      if (table.table.trainable) {
        times.update +=
            profile.nodeSeconds +
            (table.updatesEveryRow || isWhole
                 ? moved * rowBytes / profile.streamBytesPerSecond
                 : profile.updateOf(rows * cols * elementBytes).seconds(moved, rowBytes));
        times.exchange += sync * layout.syncSecondsPerByte[at(shard)];
      }
      const std::int64_t bytes = table.bytesIn(ownsMemory(space), extent.rows, extent.cols);
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

void CostModel::shareOut(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  const int shards = static_cast<int>(layout.owners.size());
  const auto elements = static_cast<double>(table.rows * table.table.embeddingDim);
  double ids = 0.0, bytes = 0.0;
  for (const TableCost::OfDevice& device : cost.devices) {
    ids += device.rowsRead;
    bytes += static_cast<double>(device.bytes);
  }
  for (TableCost::OfDevice& device : cost.devices) device.bytes = 0, device.rowsRead = 0.0;
  double share = 0.0;
  std::int64_t given = 0;
  for (int shard = 0; shard < shards; ++shard) {
    const ShardExtent extent =
        shardExtent(layout.placement, table.rows, table.table.embeddingDim, shards, shard);
    const std::vector<int>& owners = layout.owners[at(shard)];
    const auto count = static_cast<double>(owners.size());
    for (const int owner : owners) {
      share += static_cast<double>(extent.rows * extent.cols) / elements / count;
      const auto upTo = static_cast<std::int64_t>(std::round(std::min(1.0, share) * bytes));
      cost.devices[at(owner)].bytes += upTo - given;
      given = upTo;
      cost.devices[at(owner)].rowsRead +=
          ids * shareOf(table, layout.placement, extent, shards, shard) / count;
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
    const double pairs = rows * static_cast<double>(request_.batchRows);
    TableCost::OfSpace& times = cost.spaces[at(s)];
    // The backward pass reads what the forward pass wrote: from the cache where all of it fits.
    const bool isCached =
        rows * dense.bytesPerExample <= 2.0 * static_cast<double>(profile.cacheBytes);
    const double bytesPerSecond =
        isCached ? std::max(profile.cachedLookup.bytesPerSecond, profile.streamBytesPerSecond)
                 : profile.streamBytesPerSecond;
    times.compute =
        rows * (dense.trainingFlopsPerExample / profile.flopsPerSecond +
                dense.bytesPerExample / bytesPerSecond) +
        profile.pairs.seconds(pairs * dense.pairLosses, pairs * dense.trainingFlopsPerPair) +
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
    if (dense.gatheredCols == 0) continue;
    // Candidates of the space go to all others, and their gradients return from them.
    const auto width = static_cast<double>(dense.gatheredCols), others = copies - 1.0;
    const double sent = others * rows * (kIdBytes + kFloatBytes * width);
    const double returned = kFloatBytes * width * (static_cast<double>(request_.batchRows) - rows);
    cost.devices[at(members[0])].vectorBytes = sent;
    cost.devices[at(members[0])].gradientBytes += returned;
    times.exchange +=
        (sent + returned) * slowest + 3.0 * request_.hardware.betweenHosts.latencySeconds;
  }
  return cost;
}

}  // namespace parapet::mesh

// SPDX-License-Identifier: Apache-2.0
// Counts what StepRunner, TableRoutes and TableExchange allocate.
#include <algorithm>
#include <bit>

#include "engine/mesh/planner_costs.h"

namespace parapet::mesh {
namespace {

constexpr std::int64_t kElementBytes = 4;

}  // namespace

std::int64_t CostModel::ofRank(int rank, std::int64_t bytesOfBatch) const {
  const RowSlice slice = request_.mesh.slice(rank, request_.batchRows);
  const auto share = static_cast<double>(slice.rows()) /
                     static_cast<double>(std::max<std::int64_t>(1, request_.batchRows));
  return static_cast<std::int64_t>(share * static_cast<double>(bytesOfBatch));
}

std::int64_t CostModel::bufferBytes(int rank) const {
  return ofRank(rank, request_.dense.bufferBytes);
}

std::int64_t CostModel::aheadBytes(int rank) const {
  return request_.overlap ? ofRank(rank, request_.dense.preparedBytes) : 0;
}

CostModel::Capacity CostModel::capacityOf(const TableRequest& table) const {
  const std::int64_t rows = (request_.batchRows + ranks() - 1) / ranks();
  const std::int64_t ids = rows * table.maxIdsPerExample;
  return {rows, ids, std::min(ids, table.rows)};
}

StackBytes CostModel::stackBytes(const TableRequest& table) const {
  const Capacity most = capacityOf(table);
  const auto slots = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(2, 2 * most.distinct))));
  // The hash table of ids with its lists.
  return {.merging = stages() * kElementBytes * (2 * slots + 2 * most.distinct),
          .grouping = 4 * kElementBytes * most.rows * table.maxIdsOfLookup};
}

void CostModel::bufferCost(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  const bool isReplicated = layout.placement == experiment::Placement::kReplicated;
  if (!exchanges(table, layout)) return;
  const std::int64_t cols = table.table.embeddingDim;
  const auto shards = static_cast<std::int64_t>(layout.owners.size());
  const bool byColumns = layout.placement == experiment::Placement::kColumn;
  const auto [rows, ids, distinct] = capacityOf(table);
  // Positions, unique rows and partitions, and what is sent; rows, gradients and their values.
  const std::int64_t onRank = stages() * (ids + 3 * distinct) +
                              distinct * cols *
                                  (isReplicated ? 1
                                   : byColumns  ? 3
                                                : 2) +
                              distinct;
  for (TableCost::OfDevice& device : cost.devices) device.bufferBytes += kElementBytes * onRank;
  for (int shard = 0; shard < static_cast<int>(shards); ++shard) {
    const ShardExtent extent =
        shardExtent(layout.placement, table.rows, cols, static_cast<int>(shards), shard);
    const std::int64_t most = std::min(distinct, extent.rows);
    const std::vector<int>& owners = layout.owners[static_cast<std::size_t>(shard)];
    for (const int owner : owners) {
      // What is requested of it, with the grouping for the update, and those rows.
      const std::int64_t requested = most * ranks();
      cost.devices[static_cast<std::size_t>(owner)].bufferBytes +=
          kElementBytes * (stages() * 7 * requested + requested * extent.cols);
    }
  }
}

}  // namespace parapet::mesh

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "engine/mesh/planner_costs.h"

namespace parapet::mesh {

// Counts what TableRoutes and TableExchange allocate for a stack of this table alone; tables that
// are exchanged together share the parts that the largest of them needs.
void CostModel::bufferCost(const TableRequest& table, const Layout& layout, TableCost& cost) const {
  if (layout.placement == experiment::Placement::kReplicated) return;
  constexpr std::int64_t kNumberBytes = 4;
  const std::int64_t cols = table.table.embeddingDim;
  const auto shards = static_cast<std::int64_t>(layout.holders.size());
  const bool byColumns = layout.placement == experiment::Placement::kColumn;
  const std::int64_t rows = (request_.batchRows + ranks() - 1) / ranks();
  const std::int64_t places = rows * table.mostIdsPerExample;
  const std::int64_t distinct = std::min(places, table.rows);
  const auto slots = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(2, 2 * distinct))));
  // The hash table of ids with its lists, positions, numbers and parts, and what is sent.
  std::int64_t ofRank =
      2 * slots + 2 * distinct + places + 2 * distinct + distinct * (byColumns ? shards : 1);
  // Rows and gradients with the grouping of the latter.
  ofRank += distinct * cols * (byColumns ? 3 : 2) + 4 * rows * table.mostIdsOfLookup + distinct;
  for (TableCost::OfDevice& device : cost.devices) device.bufferBytes += kNumberBytes * ofRank;
  for (int shard = 0; shard < static_cast<int>(shards); ++shard) {
    const ShardExtent extent =
        shardExtent(layout.placement, table.rows, cols, static_cast<int>(shards), shard);
    const std::int64_t most = std::min(distinct, extent.rows);
    const std::vector<int>& holders = layout.holders[static_cast<std::size_t>(shard)];
    const auto count = static_cast<std::int64_t>(holders.size());
    for (const int holder : holders) {
      // What it is asked for, those rows, and their grouping for the update.
      const std::int64_t asked = most * layout.groupSize[static_cast<std::size_t>(holder)];
      cost.devices[static_cast<std::size_t>(holder)].bufferBytes +=
          kNumberBytes * (asked + asked * extent.cols + 6 * ranks() * most / count);
    }
  }
}

}  // namespace parapet::mesh

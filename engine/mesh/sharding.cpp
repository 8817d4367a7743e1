// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/sharding.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/result.h"

namespace parapet::mesh {

using experiment::Placement;

Sharding::Sharding(Placement placement, std::int64_t rows, std::int64_t cols,
                   std::vector<std::vector<int>> owners)
    : placement_(placement), rows_(rows), cols_(cols), owners_(std::move(owners)) {
  const bool whole = placement == Placement::kReplicated || placement == Placement::kTable;
  if (placement == Placement::kAuto || owners_.empty() || (whole && owners_.size() != 1))
    throw InvalidArgument(fmt::format("[mesh.Sharding] {} shards for this placement", shards()));
  blockRows_ = (rows + shards() - 1) / shards();
}

Sharding Sharding::replicated(std::int64_t rows, std::int64_t cols, int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return {Placement::kReplicated, rows, cols, {std::move(all)}};
}

ShardExtent shardExtent(Placement placement, std::int64_t rows, std::int64_t cols, int shards,
                        int shard) {
  const std::int64_t blockRows = (rows + shards - 1) / shards;
  const std::int64_t firstCol = cols * shard / shards;
  switch (placement) {
    case Placement::kRow:
      return {(rows - shard + shards - 1) / shards, 0, cols};
    case Placement::kRowBlock:
      return {std::clamp<std::int64_t>(rows - shard * blockRows, 0, blockRows), 0, cols};
    case Placement::kColumn:
      return {rows, firstCol, cols * (shard + 1) / shards - firstCol};
    default:
      return {rows, 0, cols};
  }
}

std::int64_t Sharding::shardRows(int shard) const {
  return shardExtent(placement_, rows_, cols_, shards(), shard).rows;
}

std::int64_t Sharding::firstCol(int shard) const {
  return shardExtent(placement_, rows_, cols_, shards(), shard).firstCol;
}

std::int64_t Sharding::shardCols(int shard) const {
  return shardExtent(placement_, rows_, cols_, shards(), shard).cols;
}

int Sharding::shardOf(std::int64_t row) const {
  if (placement_ == Placement::kRow) return static_cast<int>(row % shards());
  return placement_ == Placement::kRowBlock ? static_cast<int>(row / blockRows_) : 0;
}

std::int64_t Sharding::localRow(std::int64_t row) const {
  if (placement_ == Placement::kRow) return row / shards();
  return placement_ == Placement::kRowBlock ? row % blockRows_ : row;
}

std::int64_t Sharding::globalRow(int shard, std::int64_t localRow) const {
  if (placement_ == Placement::kRow) return localRow * shards() + shard;
  return placement_ == Placement::kRowBlock ? shard * blockRows_ + localRow : localRow;
}

}  // namespace parapet::mesh

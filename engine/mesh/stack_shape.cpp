// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/stack_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/result.h"

namespace parapet::mesh {

using experiment::Placement;

StackShape::StackShape(std::vector<Sharding> tables, std::vector<StackLookup> lookups, int ranks)
    : tables_(std::move(tables)), lookups_(std::move(lookups)) {
  requireSameSharding();
  const Placement placement = tables_[0].placement();
  splitsRows_ = placement == Placement::kRow || placement == Placement::kRowBlock;
  countUnique();
  sortShards();
  for (int rank = 0; rank < ranks; ++rank) {
    memberships_.push_back(membershipOf(rank));
    if (memberships_.back().group < 0)
      throw InvalidArgument(fmt::format("[mesh.StackShape] rank {} is in no group", rank));
  }
}

void StackShape::requireSameSharding() const {
  if (tables_.empty()) throw InvalidArgument("[mesh.StackShape] no table; a stack has some");
  for (const Sharding& table : tables_)
    if (!table.hasSameSharding(tables_[0]))
      throw InvalidArgument(
          "[mesh.StackShape] tables of a stack have the same placement, owners and columns");
  for (const StackLookup& lookup : lookups_)
    if (lookup.table < 0 || static_cast<std::size_t>(lookup.table) >= tables_.size() ||
        lookup.capacity < 0)
      throw InvalidArgument(fmt::format("[mesh.StackShape] a lookup of table {} of {}, capacity {}",
                                        lookup.table, tables_.size(), lookup.capacity));
}

void StackShape::countUnique() {
  maxDistinct_.assign(tables_.size(), 0);
  lookupBegin_.push_back(0);
  for (const StackLookup& lookup : lookups_) {
    lookupBegin_.push_back(lookupBegin_.back() + lookup.capacity);
    maxDistinct_[static_cast<std::size_t>(lookup.table)] += lookup.capacity;
  }
  uniqueBegin_.push_back(0);
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    maxDistinct_[table] = std::min(maxDistinct_[table], tables_[table].rows());
    uniqueBegin_.push_back(uniqueBegin_.back() + maxDistinct_[table]);
  }
}

void StackShape::sortShards() {
  shardOrder_.resize(tables_[0].owners(0).size());
  for (std::size_t group = 0; group < shardOrder_.size(); ++group) {
    shardOrder_[group].resize(static_cast<std::size_t>(shards()));
    std::iota(shardOrder_[group].begin(), shardOrder_[group].end(), 0);
    std::ranges::sort(shardOrder_[group], {},
                      [&](int shard) { return tables_[0].owners(shard)[group]; });
  }
}

// A rank that owns nothing belongs to the only group there is.
StackShape::Membership StackShape::membershipOf(int rank) const {
  for (int shard = 0; shard < shards(); ++shard) {
    const std::vector<int>& owners = tables_[0].owners(shard);
    const auto found = std::ranges::find(owners, rank);
    if (found != owners.end()) return {shard, static_cast<int>(found - owners.begin())};
  }
  return {-1, groups() == 1 ? 0 : -1};
}

std::int64_t StackShape::maxIds() const {
  std::int64_t max = 0;
  for (const StackLookup& lookup : lookups_) max = std::max(max, lookup.capacity);
  return max;
}

std::int64_t StackShape::maxRequested(int shard) const {
  std::int64_t byOneRank = 0;
  for (int index = 0; index < tableCount(); ++index)
    byOneRank += std::min(maxDistinct(index), table(index).shardRows(shard));
  return byOneRank * ranks();
}

std::int64_t StackShape::maxValues(int shard, int index) const {
  return ranks() * std::min(maxDistinct(index), table(index).shardRows(shard));
}

}  // namespace parapet::mesh

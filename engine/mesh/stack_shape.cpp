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
  requireAlike();
  const Placement placement = tables_[0].placement();
  splitsRows_ = placement == Placement::kRow || placement == Placement::kRowBlock;
  countNumbers();
  sortShards();
  std::vector<int> members(shardOrder_.size(), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    standings_.push_back(standingOf(rank));
    const int group = standings_.back().group;
    if (group < 0)
      throw InvalidArgument(fmt::format("[mesh.StackShape] rank {} is in no group", rank));
    askers_ = std::max(askers_, ++members[static_cast<std::size_t>(group)]);
  }
}

void StackShape::requireAlike() const {
  if (tables_.empty() || tables_[0].isReplicated())
    throw InvalidArgument("[mesh.StackShape] a stack has tables, and none that is replicated");
  for (const Sharding& table : tables_)
    if (!table.liesAs(tables_[0]))
      throw InvalidArgument(
          "[mesh.StackShape] tables of a stack have the same placement, holders and columns");
  for (const StackLookup& lookup : lookups_)
    if (lookup.table < 0 || static_cast<std::size_t>(lookup.table) >= tables_.size() ||
        lookup.capacity < 0)
      throw InvalidArgument(fmt::format("[mesh.StackShape] a lookup of table {} of {}, capacity {}",
                                        lookup.table, tables_.size(), lookup.capacity));
}

void StackShape::countNumbers() {
  mostDistinct_.assign(tables_.size(), 0);
  lookupBegin_.push_back(0);
  for (const StackLookup& lookup : lookups_) {
    lookupBegin_.push_back(lookupBegin_.back() + lookup.capacity);
    mostDistinct_[static_cast<std::size_t>(lookup.table)] += lookup.capacity;
  }
  numberBegin_.push_back(0);
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    mostDistinct_[table] = std::min(mostDistinct_[table], tables_[table].rows());
    numberBegin_.push_back(numberBegin_.back() + mostDistinct_[table]);
  }
}

void StackShape::sortShards() {
  shardOrder_.resize(tables_[0].holders(0).size());
  for (std::size_t group = 0; group < shardOrder_.size(); ++group) {
    shardOrder_[group].resize(static_cast<std::size_t>(shards()));
    std::iota(shardOrder_[group].begin(), shardOrder_[group].end(), 0);
    std::ranges::sort(shardOrder_[group], {},
                      [&](int shard) { return tables_[0].holders(shard)[group]; });
  }
}

// A rank that holds nothing asks the only group there is.
StackShape::Standing StackShape::standingOf(int rank) const {
  for (int shard = 0; shard < shards(); ++shard) {
    const std::vector<int>& holders = tables_[0].holders(shard);
    const auto found = std::ranges::find(holders, rank);
    if (found != holders.end()) return {shard, static_cast<int>(found - holders.begin())};
  }
  return {-1, groups() == 1 ? 0 : -1};
}

std::int64_t StackShape::mostIds() const {
  std::int64_t most = 0;
  for (const StackLookup& lookup : lookups_) most = std::max(most, lookup.capacity);
  return most;
}

std::int64_t StackShape::mostAsked(int shard) const {
  std::int64_t byOneRank = 0;
  for (int index = 0; index < tableCount(); ++index)
    byOneRank += std::min(mostDistinct(index), table(index).shardRows(shard));
  return byOneRank * askers_;
}

std::int64_t StackShape::mostPlaces(int shard, int index) const {
  return ranks() * std::min(mostDistinct(index), table(index).shardRows(shard));
}

}  // namespace parapet::mesh

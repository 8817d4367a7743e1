// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/mesh/sharding.h"

namespace parapet::mesh {

/// A lookup of a stack: the position of its table there, and the max. ids that one rank brings.
struct StackLookup {
  int table = 0;
  std::int64_t capacity = 0;
};

/// A stack of tables that are looked up together, and the sizes that follow from it before any id
/// is known: equal placement, owners and columns; each rank brings at most so many ids a lookup.
/// Each of the ranks that own a shard has a copy of it, which gets the gradients of all ranks.
///
/// A partition is a shard, or all of them where every row is requested of each (column, table,
/// replicated).
class StackShape {
 public:
  /// `ranks`: of the mesh. InvalidArgument if the shardings differ or a lookup names no table.
  StackShape(std::vector<Sharding> tables, std::vector<StackLookup> lookups, int ranks);

  [[nodiscard]] int ranks() const { return static_cast<int>(memberships_.size()); }
  [[nodiscard]] int shards() const { return tables_[0].shards(); }
  [[nodiscard]] std::int64_t cols() const { return tables_[0].cols(); }
  [[nodiscard]] std::int64_t shardCols(int shard) const {
    return shard < 0 ? 0 : tables_[0].shardCols(shard);
  }
  [[nodiscard]] int tableCount() const { return static_cast<int>(tables_.size()); }
  [[nodiscard]] int lookupCount() const { return static_cast<int>(lookups_.size()); }
  [[nodiscard]] const std::vector<Sharding>& tables() const { return tables_; }
  [[nodiscard]] const Sharding& table(int table) const {
    return tables_[static_cast<std::size_t>(table)];
  }
  [[nodiscard]] const StackLookup& lookup(int lookup) const {
    return lookups_[static_cast<std::size_t>(lookup)];
  }

  /// The shard that a rank owns, −1 if none: all others send it the rows of the shard that they
  /// request, of whomever, and their gradients. And the group of whose owners it requests rows.
  [[nodiscard]] int shardOf(int rank) const { return membership(rank).shard; }
  [[nodiscard]] int groupOf(int rank) const { return membership(rank).group; }
  [[nodiscard]] int groups() const { return static_cast<int>(shardOrder_.size()); }
  /// Copies of a shard, one in each group, and the one that a rank holds.
  [[nodiscard]] int copies() const { return groups(); }
  [[nodiscard]] int copyOf(int rank) const { return groupOf(rank); }
  /// The rank that has a copy.
  [[nodiscard]] int ownerOf(ShardCopy of) const {
    return tables_[0].owners(of.shard)[static_cast<std::size_t>(of.copy)];
  }
  /// Index of a copy among all shards times copies.
  [[nodiscard]] int indexOf(ShardCopy of) const { return of.shard * copies() + of.copy; }
  /// Whether ranks ask others for rows: not where each has all of them.
  [[nodiscard]] bool fetchesRows() const { return !tables_[0].isReplicated(); }
  /// The shard whose rows a rank requests of a peer, −1 if none.
  [[nodiscard]] int fetchedOf(int rank, int peer) const {
    return groupOf(rank) == groupOf(peer) ? shardOf(peer) : -1;
  }
  /// The shards in the order of the ranks that own them in a group.
  [[nodiscard]] const std::vector<int>& shardOrder(int group) const {
    return shardOrder_[static_cast<std::size_t>(group)];
  }

  [[nodiscard]] bool splitsRows() const { return splitsRows_; }
  [[nodiscard]] bool splitsColumns() const {
    return tables_[0].placement() == experiment::Placement::kColumn;
  }
  [[nodiscard]] int partitions() const { return splitsRows_ ? shards() : 1; }
  [[nodiscard]] int partitionOf(int shard) const { return splitsRows_ ? shard : 0; }
  /// Index into a row-major matrix that has a column per table.
  [[nodiscard]] std::size_t cell(int row, int table) const {
    return static_cast<std::size_t>(row) * tables_.size() + static_cast<std::size_t>(table);
  }

  // Maxima of a step: ids of a lookup, distinct rows of a table and of all tables that a rank
  // requests, rows of all tables that an owner of a shard is told of, and of one table in a shard
  // by all ranks.
  [[nodiscard]] std::int64_t maxIds() const;
  [[nodiscard]] std::int64_t maxDistinct(int table) const {
    return maxDistinct_[static_cast<std::size_t>(table)];
  }
  [[nodiscard]] std::int64_t maxReceived() const { return uniqueBegin_.back(); }
  [[nodiscard]] std::int64_t maxRequested(int shard) const;
  [[nodiscard]] std::int64_t maxValues(int shard, int table) const;
  /// Where the ids of a lookup begin in an array of those of all, and the rows of a table; with the
  /// end of the last one.
  [[nodiscard]] std::int64_t lookupBegin(int lookup) const {
    return lookupBegin_[static_cast<std::size_t>(lookup)];
  }
  [[nodiscard]] std::int64_t uniqueBegin(int table) const {
    return uniqueBegin_[static_cast<std::size_t>(table)];
  }

 private:
  struct Membership {
    int shard = -1, group = -1;
  };
  [[nodiscard]] const Membership& membership(int rank) const {
    return memberships_.at(static_cast<std::size_t>(rank));
  }
  [[nodiscard]] Membership membershipOf(int rank) const;
  void requireSameSharding() const;
  void countUnique();
  void sortShards();

  std::vector<Sharding> tables_;
  std::vector<StackLookup> lookups_;
  bool splitsRows_ = false;
  std::vector<std::int64_t> lookupBegin_, uniqueBegin_, maxDistinct_;
  std::vector<std::vector<int>> shardOrder_;  ///< by group
  std::vector<Membership> memberships_;       ///< by rank
};

}  // namespace parapet::mesh

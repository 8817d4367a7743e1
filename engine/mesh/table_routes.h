// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/rank_route.h"

namespace parapet::mesh {

/// Who requests which rows of whom in one step, for a stack of tables. Routes depend on ids alone,
/// so they can be made ahead of the step that uses them.
///
///   route()      of each rank    its equal ids are merged and sorted by owner, then by table
///   exchange()   of all ranks    the owners get the requested local rows
///   group()      of each copy    equal rows of different ranks are grouped for the update
///
/// A rank or copy that a call names is one of this process.
/// Memory   fixed by the capacities; what ops read is brought to the rank's device. A step
///          allocates nothing.
/// Thread   route() of different ranks, and group() of different (copy, table), may run at once.
class TableRoutes {
 public:
  /// `devices`: of the ranks of the mesh, some of which may be elsewhere. InvalidArgument as
  /// StackShape.
  TableRoutes(std::span<const tensor::Device> devices, std::vector<Sharding> tables,
              std::vector<StackLookup> lookups);

  /// `ids`: the rank's ids of each lookup. InvalidArgument as RankRoute::assign.
  void route(int rank, std::span<const std::span<const std::int32_t>> ids);
  /// Tells every owner which local rows of its shards are requested.
  Status exchange(Communicator& communicator);
  /// Names the rows of a table that an owner was asked for by other numbers below those of the
  /// shard, as its ops and group() then have them. Each call of rename(rows) gets those of a rank.
  template <class Rename>
  void renameHeld(int rank, int table, const Rename& rename) {
    Held& held = held_.at(local_.of(rank));
    for (int peer = 0; peer < ranks(); ++peer) {
      const std::size_t cell = shape_.cell(peer, table);
      const std::int64_t begin = held.begin[cell], count = held.counts[cell];
      rename(std::span{held.localRows.data() + begin, static_cast<std::size_t>(count)});
      held.localRows.upload(begin, count);
    }
  }
  /// On the host. `indexOfRow`: scratch of the copy, −1 for each of its rows before and after; it
  /// is used where the host can read the memory of `device`.
  void group(const tensor::Device& device, ShardCopy of, int table, std::int32_t* indexOfRow);

  [[nodiscard]] const StackShape& shape() const { return shape_; }
  [[nodiscard]] int ranks() const { return shape_.ranks(); }
  /// The ranks of this process.
  [[nodiscard]] LocalRange local() const { return local_; }
  [[nodiscard]] int shards() const { return shape_.shards(); }
  [[nodiscard]] int lookups() const { return shape_.lookupCount(); }
  [[nodiscard]] const std::vector<Sharding>& tables() const { return shape_.tables(); }
  /// The shard that a rank owns, −1 if none.
  [[nodiscard]] int shardHeldBy(int rank) const { return shape_.shardOf(rank); }

  // After route():

  /// Rows that the rank receives, of all tables.
  [[nodiscard]] std::int64_t received(int rank) const { return at(rank).received(); }
  /// Position of each id of a lookup among the rows that the rank receives.
  [[nodiscard]] std::span<const std::int32_t> positions(int rank, int lookup) const {
    return at(rank).positions(shape_, lookup);
  }
  /// positions() in the memory of the rank's device, for its ops.
  [[nodiscard]] const std::int32_t* positionsHere(int rank, int lookup) const {
    return at(rank).positionsHere(shape_, lookup);
  }
  [[nodiscard]] RouteCounts counts(int rank, int shard) const {
    return at(rank).counts(shape_, shard);
  }
  /// The local rows of a table that a rank requests of a shard; see Sharding::globalRow.
  [[nodiscard]] std::span<const std::int32_t> requested(int rank, int shard, int table) const {
    return at(rank).requested(shape_, shard, table);
  }
  /// Rows of all tables that a rank requests of a shard, and where they begin among those that it
  /// receives.
  [[nodiscard]] std::int64_t rowsOf(int rank, int shard) const {
    return at(rank).rowsOf(shape_, shard);
  }
  [[nodiscard]] std::int64_t beginOf(int rank, int shard) const {
    return at(rank).beginOf(shape_, shard);
  }

  /// What an owner is told of: local rows, by rank and within it by table.
  struct Held {
    std::vector<std::int32_t> counts;             ///< by rank and table
    std::vector<std::int64_t> begin;              ///< by rank and table, and the end
    tensor::StagedArray<std::int32_t> localRows;  ///< in the shard
  };
  /// What all ranks ask of one table in one shard, in rank order. Value n has row gradRows[n] of
  /// what the owner of the copy gets.
  struct Group {
    tensor::Buffer<std::int32_t> ids, scratch;
    tensor::StagedArray<std::int32_t> gradRows, rows, first, next;
    tensor::Buffer<std::int32_t>
        indexOfRow;  ///< where that of the shard is out of the host's reach
    std::int64_t count = 0, values = 0;
  };
  // After exchange(), and group():
  [[nodiscard]] const Held& held(int rank) const { return held_.at(local_.of(rank)); }
  /// Rows of all tables that a peer requests of the shard of a rank.
  [[nodiscard]] std::int64_t rowsFor(int peer, int rank) const {
    const std::vector<std::int64_t>& begin = held(rank).begin;
    return begin[shape_.cell(peer + 1, 0)] - begin[shape_.cell(peer, 0)];
  }
  [[nodiscard]] const Group& grouped(ShardCopy of, int table) const {
    return groups_[groupIndex(of, table)];
  }

 private:
  [[nodiscard]] const RankRoute& at(int rank) const { return routes_.at(local_.of(rank)); }

  [[nodiscard]] std::size_t groupIndex(ShardCopy of, int table) const {
    return shape_.cell(shape_.indexOf(of), table);
  }

  StackShape shape_;
  LocalRange local_;
  // By local rank:
  std::vector<RankRoute> routes_;
  std::vector<Held> held_;
  std::vector<Group> groups_;        ///< by copy and table; empty where the owner is elsewhere
  std::vector<PeerCounts> counted_;  ///< counts of the collective of counts: equal in every step
  std::vector<PeerCounts> counts_;   ///< counts of the collective of rows
  std::vector<const void*> in_;
  std::vector<void*> out_;
};

}  // namespace parapet::mesh

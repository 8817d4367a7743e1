// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/mesh/communicator.h"
#include "engine/mesh/id_merger.h"
#include "engine/mesh/sharding.h"
#include "engine/tensor/buffer.h"

namespace parapet::mesh {

/// A lookup of a stack: the position of its table there, and the most ids one rank brings.
struct StackLookup {
  int table = 0;
  std::int64_t capacity = 0;
};

/// What one rank asks of one shard in a step.
struct RouteCounts {
  std::int64_t ids = 0;       ///< of the rank's lookups, equal ones counted again
  std::int64_t distinct = 0;  ///< rows that are asked for
};

/// Who asks whom for which rows in one step, of a stack of tables with equal placement, holders and
/// columns. Routes depend on ids alone, so they can be made ahead of the step that uses them.
///
///   route()      of each rank    its equal ids are merged and sorted by holder, then by table
///   exchange()   of all ranks    the holders get the places they are asked for
///   group()      of each shard   equal places of different ranks are grouped for the update
///
/// Memory   fixed by the capacities; a step allocates nothing.
/// Thread   route() of different ranks, and group() of different (shard, table), may run at once.
class TableRoutes {
 public:
  /// `ranks`: of the mesh, all in this process. InvalidArgument if the tables do not lie alike, are
  /// replicated, or a lookup names no table.
  TableRoutes(const tensor::Device& device, std::vector<Sharding> tables,
              std::vector<StackLookup> lookups, int ranks);

  /// `ids`: the rank's ids of each lookup. InvalidArgument if there are more than the capacity or
  /// one is outside its table, naming lookup, place and value.
  void route(int rank, std::span<const std::span<const std::int32_t>> ids);
  /// Tells every holder which places of its shards are asked for.
  Status exchange(Communicator& communicator);
  /// `placeOfRow`: scratch of the shard, −1 for each of its rows before and after.
  void group(const tensor::Launch& launch, int shard, int table, std::int32_t* placeOfRow);

  [[nodiscard]] int ranks() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] int shards() const { return tables_[0].shards(); }
  [[nodiscard]] int lookups() const { return static_cast<int>(lookups_.size()); }
  [[nodiscard]] const std::vector<Sharding>& tables() const { return tables_; }
  /// The shard that a rank holds, −1 if none.
  [[nodiscard]] int shardHeldBy(int rank) const { return at(ranks_, rank).shard; }

  // After route():

  /// Rows that the rank receives, of all tables.
  [[nodiscard]] std::int64_t received(int rank) const { return at(ranks_, rank).received; }
  /// For each id of a lookup its row among those that the rank receives.
  [[nodiscard]] std::span<const std::int32_t> positions(int rank, int lookup) const;
  [[nodiscard]] RouteCounts counts(int rank, int shard) const;
  /// The places of a table that a rank asks a shard for; Sharding::rowAt tells the rows.
  [[nodiscard]] std::span<const std::int32_t> asked(int rank, int shard, int table) const;

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  friend class TableExchange;

  /// Of one rank: what it asks, and what it is asked for as a holder. A part is a shard, or all of
  /// them where each is asked for every row (column, table).
  struct Rank {
    int shard = -1, group = 0;
    IdMerger merger;
    std::vector<std::int64_t> lookupIds;     ///< ids of each lookup
    tensor::Buffer<std::int32_t> positions;  ///< of all lookups, each from its lookupBegin_
    tensor::Buffer<std::int32_t> numbered;   ///< by table and number: the row, then its position
    tensor::Buffer<std::int32_t> parts;      ///< by table and number
    std::int64_t received = 0;
    std::vector<std::int64_t> ids, distinct, begin;  ///< by part and table
    tensor::Buffer<std::int32_t> sent;               ///< places, by holder and table
    std::vector<std::int32_t> sentCounts;            ///< by rank and table
    std::vector<std::int32_t> askedCounts;           ///< by rank and table
    std::vector<std::int64_t> askedBegin;            ///< by rank and table, and the end
    tensor::Buffer<std::int32_t> asked;              ///< places, by rank and table
  };
  /// What all ranks ask of one table in one shard.
  struct Group {
    tensor::Buffer<std::int32_t> ids, gradRows, rows, first, next, scratch;
    std::int64_t count = 0, places = 0;
  };

  [[nodiscard]] static const Rank& at(const std::vector<Rank>& ranks, int rank) {
    return ranks.at(static_cast<std::size_t>(rank));
  }
  [[nodiscard]] std::size_t cell(int row, int table) const {
    return static_cast<std::size_t>(row) * tables_.size() + static_cast<std::size_t>(table);
  }
  [[nodiscard]] int holderFor(const Rank& rank, int shard) const {
    return tables_[0].holders(shard)[static_cast<std::size_t>(rank.group)];
  }
  /// Rows of all tables that a rank asks a peer for.
  [[nodiscard]] std::int64_t sentTo(const Rank& rank, int peer) const;
  /// Rows of all tables that a peer asks a holder for.
  [[nodiscard]] std::int64_t askedBy(const Rank& holder, int peer) const {
    return holder.askedBegin[cell(peer + 1, 0)] - holder.askedBegin[cell(peer, 0)];
  }
  [[nodiscard]] int parts() const { return splitsRows_ ? shards() : 1; }
  [[nodiscard]] int partOf(int shard) const { return splitsRows_ ? shard : 0; }
  /// Most rows that a rank receives.
  [[nodiscard]] std::int64_t mostReceived() const;
  /// Most ids of a lookup.
  [[nodiscard]] std::int64_t mostPlaces() const;
  /// Most rows that a holder of the shard is asked for.
  [[nodiscard]] std::int64_t mostAsked(int shard) const;
  [[nodiscard]] Group& groupOf(int shard, int table) { return groups_[cell(shard, table)]; }
  [[nodiscard]] const Group& groupOf(int shard, int table) const {
    return groups_[cell(shard, table)];
  }
  void requireAlike() const;
  [[nodiscard]] Rank makeRank(const tensor::Device& device, int shard, int group) const;
  void allocateGroups(const tensor::Device& device);
  void number(Rank& self, int table, std::span<const std::span<const std::int32_t>> ids) const;
  void place(Rank& self) const;

  std::vector<Sharding> tables_;
  std::vector<StackLookup> lookups_;
  int askers_ = 0;                          ///< most ranks of a group
  std::vector<std::int64_t> numberBegin_;   ///< of the numbers of each table
  std::vector<std::int64_t> lookupBegin_;   ///< of the positions of each lookup
  std::vector<std::int64_t> mostDistinct_;  ///< by table: most rows of it that one rank asks for
  bool splitsRows_ = false;
  std::vector<std::vector<int>> shardOrder_;  ///< by group: shards in the order of their holders
  std::vector<Rank> ranks_;
  std::vector<Group> groups_;                             ///< by shard and table
  std::vector<std::vector<std::int64_t>> elementCounts_;  ///< of a collective, [rank][peer]
  std::vector<const float*> in_;
  std::vector<float*> out_;
};

}  // namespace parapet::mesh

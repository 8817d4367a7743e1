// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::mesh {

/// The rows and columns of a table [rows, cols] that one of `shards` shards has.
struct ShardExtent {
  std::int64_t rows = 0, firstCol = 0, cols = 0;
};
ShardExtent shardExtent(experiment::Placement placement, std::int64_t rows, std::int64_t cols,
                        int shards, int shard);

/// A shard in one of the memories that have it.
struct ShardCopy {
  int shard = 0;
  int copy = 0;
};

/// Which rows and columns of a table [V, D] each shard has, and which ranks own a shard; of a held
/// one (heldSharding) which memory spaces.
///
///   replicated   one shard, owned by every rank
///   row (mod)    row r on shard r mod S, local row r / S
///   row block    row r on shard r / ⌈V/S⌉
///   column       shard s has the columns [D·s/S, D·(s+1)/S)
///   table        one shard, on one rank
///
/// With more owners than shards (2-D: split within a group, replicated over groups) several own a
/// shard; rows are requested of the owner in the own group.
class Sharding {
 public:
  /// `owners`: [shard][group] rank. One shard per entry; all have equally many groups.
  Sharding(experiment::Placement placement, std::int64_t rows, std::int64_t cols,
           std::vector<std::vector<int>> owners);
  static Sharding replicated(std::int64_t rows, std::int64_t cols, int ranks);

  [[nodiscard]] experiment::Placement placement() const { return placement_; }
  [[nodiscard]] bool isReplicated() const {
    return placement_ == experiment::Placement::kReplicated;
  }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  [[nodiscard]] int shards() const { return static_cast<int>(owners_.size()); }
  [[nodiscard]] const std::vector<int>& owners(int shard) const {
    return owners_[static_cast<std::size_t>(shard)];
  }
  /// Rows and columns of a shard.
  [[nodiscard]] std::int64_t shardRows(int shard) const;
  [[nodiscard]] std::int64_t shardCols(int shard) const;
  [[nodiscard]] std::int64_t firstCol(int shard) const;
  /// Shard and local row of a row, where rows are split; otherwise shard 0 and the row.
  [[nodiscard]] int shardOf(std::int64_t row) const;
  [[nodiscard]] std::int64_t localRow(std::int64_t row) const;
  /// The table's row of a shard's local row.
  [[nodiscard]] std::int64_t globalRow(int shard, std::int64_t localRow) const;
  /// Whether placement, owners and columns are the same, however many rows either table has.
  [[nodiscard]] bool hasSameSharding(const Sharding& other) const {
    return placement_ == other.placement_ && cols_ == other.cols_ && owners_ == other.owners_;
  }
  bool operator==(const Sharding&) const = default;

 private:
  experiment::Placement placement_;
  std::int64_t rows_, cols_;
  std::vector<std::vector<int>> owners_;
  std::int64_t blockRows_ = 1;
};

}  // namespace parapet::mesh

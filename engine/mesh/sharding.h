// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/experiment/document.h"

namespace parapet::mesh {

/// The part of a table [rows, cols] that one of `shards` shards has.
struct ShardExtent {
  std::int64_t rows = 0, firstCol = 0, cols = 0;
};
ShardExtent shardExtent(experiment::Placement placement, std::int64_t rows, std::int64_t cols,
                        int shards, int shard);

/// Which rows and columns of a table [V, D] lie on which shard, and which ranks hold a shard.
///
///   replicated   one shard, held by every rank
///   row (mod)    row r on shard r mod S, at place r / S
///   row block    row r on shard r / ⌈V/S⌉
///   column       shard s has the columns [D·s/S, D·(s+1)/S)
///   table        one shard, on one rank
///
/// With more ranks than shards (2-D: split within a group, replicated over groups) several ranks
/// hold a shard; a rank asks the holder of its own group. In one memory space a shard exists once.
class Sharding {
 public:
  /// `holders`: [shard][group] rank. One shard per entry; all have equally many groups.
  Sharding(experiment::Placement placement, std::int64_t rows, std::int64_t cols,
           std::vector<std::vector<int>> holders);
  static Sharding replicated(std::int64_t rows, std::int64_t cols, int ranks);

  [[nodiscard]] experiment::Placement placement() const { return placement_; }
  [[nodiscard]] bool isReplicated() const {
    return placement_ == experiment::Placement::kReplicated;
  }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  [[nodiscard]] int shards() const { return static_cast<int>(holders_.size()); }
  [[nodiscard]] const std::vector<int>& holders(int shard) const {
    return holders_[static_cast<std::size_t>(shard)];
  }
  /// Rows and columns of a shard.
  [[nodiscard]] std::int64_t shardRows(int shard) const;
  [[nodiscard]] std::int64_t shardCols(int shard) const;
  [[nodiscard]] std::int64_t firstCol(int shard) const;
  /// Of a table whose rows are split: shard and place of a row; otherwise shard 0 and the row.
  [[nodiscard]] int shardOf(std::int64_t row) const;
  [[nodiscard]] std::int64_t placeOf(std::int64_t row) const;
  /// The table's row at a place of a shard.
  [[nodiscard]] std::int64_t rowAt(int shard, std::int64_t place) const;
  /// Whether tables of equal width lie alike: the same placement, holders and columns, however many
  /// rows either has.
  [[nodiscard]] bool liesAs(const Sharding& other) const {
    return placement_ == other.placement_ && cols_ == other.cols_ && holders_ == other.holders_;
  }
  bool operator==(const Sharding&) const = default;

 private:
  experiment::Placement placement_;
  std::int64_t rows_, cols_;
  std::vector<std::vector<int>> holders_;
  std::int64_t blockRows_ = 1;
};

}  // namespace parapet::mesh

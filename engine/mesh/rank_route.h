// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/mesh/id_merger.h"
#include "engine/mesh/stack_shape.h"
#include "engine/tensor/staged_array.h"

namespace parapet::mesh {

/// What one rank requests of one shard in a step.
struct RouteCounts {
  std::int64_t ids = 0;       ///< of the rank's lookups, equal ones counted again
  std::int64_t distinct = 0;  ///< requested rows
};

/// The host stage of one rank: its equal ids merged, and sorted by owner and table, which is the
/// order in which local rows are sent and vectors arrive.
class RankRoute {
 public:
  RankRoute(const tensor::Device& device, const StackShape& shape, int rank);

  /// `ids`: of each lookup. InvalidArgument if there are more than its capacity or one is outside
  /// its table, naming lookup, index and id.
  void assign(const StackShape& shape, std::span<const std::span<const std::int32_t>> ids);

  /// Rows that the rank receives, of all tables.
  [[nodiscard]] std::int64_t received() const { return received_; }
  /// Position of each id of a lookup among the received rows.
  [[nodiscard]] std::span<const std::int32_t> positions(const StackShape& shape, int lookup) const;
  /// positions() in the memory of the rank's device, for its ops.
  [[nodiscard]] const std::int32_t* positionsHere(const StackShape& shape, int lookup) const {
    return positions_.here() + shape.lookupBegin(lookup);
  }
  [[nodiscard]] RouteCounts counts(const StackShape& shape, int shard) const;
  /// The local rows of a table that are requested of a shard.
  [[nodiscard]] std::span<const std::int32_t> requested(const StackShape& shape, int shard,
                                                        int table) const;
  /// What is sent: local rows by partition and table, and how many of them by rank and table.
  [[nodiscard]] const tensor::Buffer<std::int32_t>& sent() const { return sent_; }
  [[nodiscard]] const std::vector<std::int32_t>& sentCounts() const { return sentCounts_; }
  /// Rows of all tables that are requested of a shard, and where they begin among those sent.
  [[nodiscard]] std::int64_t rowsOf(const StackShape& shape, int shard) const;
  [[nodiscard]] std::int64_t beginOf(const StackShape& shape, int shard) const {
    return begin_[shape.cell(shape.partitionOf(shard), 0)];
  }

 private:
  void mergeIds(const StackShape& shape, int table,
                std::span<const std::span<const std::int32_t>> ids);
  void orderRows(const StackShape& shape);
  void countSent(const StackShape& shape);

  int rank_;
  IdMerger merger_;
  std::vector<std::int64_t> lookupIds_;          ///< ids of each lookup
  tensor::StagedArray<std::int32_t> positions_;  ///< of all lookups, each from its lookupBegin
  /// The row, then its position, by table and unique index.
  tensor::Buffer<std::int32_t> uniqueRows_;
  tensor::Buffer<std::int32_t> partitions_;  ///< by table and unique index
  std::int64_t received_ = 0;
  std::vector<std::int64_t> ids_, distinct_, begin_;  ///< by partition and table
  tensor::Buffer<std::int32_t> sent_;
  std::vector<std::int32_t> sentCounts_;
};

}  // namespace parapet::mesh

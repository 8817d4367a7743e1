// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/mesh/communicator.h"
#include "engine/mesh/table_routes.h"
#include "engine/tensor/ops/optimizers.h"
#include "engine/tensor/staged_array.h"

namespace parapet::mesh {

/// Gradient of one lookup on one rank: value n of it has scales[n] · rows[rowOfValue[n], :].
struct LookupGradient {
  const float* rows = nullptr;               ///< [·, cols]
  const std::int32_t* rowOfValue = nullptr;  ///< null: n
  const float* scales = nullptr;             ///< null: 1
};

/// The vectors that a step moves along TableRoutes, forward and back.
///
///   gather()             of each rank    an owner copies the requested rows
///   exchangeRows()       of all ranks    → rows(rank)
///   mergeGradients()     of each rank    one gradient row for each row it received
///   exchangeGradients()  of all ranks
///   target()             of each copy    what an optimizer updates
///
/// A rank or copy that a call names is one of this process.
///
/// Order    the gradients of a row are summed within each rank by lookup and value, then in rank
///          order, so results repeat bit for bit.
/// Memory   fixed by the routes' capacities, each rank's on its own device; a step allocates
///          nothing.
/// Thread   calls for different ranks or copies may run at once.
class TableExchange {
 public:
  /// `devices`: of the ranks, as the routes have them. Routes of other steps must have the same tables and lookups.
  TableExchange(std::span<const tensor::Device> devices, const TableRoutes& routes);

  /// The weight of a shard, and the rows that it has where ops read it.
  struct ShardRows {
    float* weight = nullptr;
    std::int64_t rows = 0;
  };
  /// `shards`: of each table of the stack the one that `rank` owns. Does nothing for a rank that
  /// owns none.
  void gather(const tensor::Launch& launch, const TableRoutes& routes, int rank,
              std::span<const ShardRows> shards);
  /// Uses the workers of `launch` for tables that are split by columns.
  Status exchangeRows(const tensor::Launch& launch, const TableRoutes& routes,
                      Communicator& communicator);
  /// What the rank received, [routes.received(rank), cols].
  [[nodiscard]] const float* rows(int rank) const;

  /// `gradients`: of each lookup; rows null: it has none.
  void mergeGradients(const tensor::Launch& launch, const TableRoutes& routes, int rank,
                      std::span<const LookupGradient> gradients);
  Status exchangeGradients(const tensor::Launch& launch, const TableRoutes& routes,
                           Communicator& communicator);
  /// The update of a copy of a shard of a table by what all ranks sent for it. Needs
  /// TableRoutes::group() of the two.
  [[nodiscard]] tensor::UpdateTarget target(const TableRoutes& routes, ShardCopy of, int table,
                                            const ShardRows& shard) const;

 private:
  /// Buffers of one rank.
  struct Rank {
    tensor::Buffer<float> received, gradients;  ///< [max. rows it receives, cols]
    tensor::Buffer<float> columns;  ///< a block per shard, where tables are split by columns
    /// Requested rows of the shard that it owns, or their gradients: the two are never there at the
    /// same time.
    tensor::Buffer<float> held;
    /// Buffers of mergeGradients.
    tensor::StagedArray<std::int32_t> rows, first, next;
    tensor::Buffer<std::int32_t> scratch, indexOfRow;
  };

  /// What a rank gets for the shard that it owns; null if it owns none.
  [[nodiscard]] float* held(int rank) { return ranks_[local_.of(rank)].held.data(); }
  enum class Columns {
    kJoin,   ///< blocks of columns, one per shard, become the rows that a rank received
    kSplit,  ///< the gradients of those rows become such blocks
  };
  void moveColumns(const tensor::Launch& launch, const TableRoutes& routes, Columns direction);
  void moveColumns(const tensor::Launch& launch, const TableRoutes& routes, int rank,
                   Columns direction);

  LocalRange local_;
  // By local rank:
  std::vector<tensor::Device> devices_;
  std::vector<Rank> ranks_;
  std::vector<PeerCounts> counts_;  ///< of a collective, in elements
  std::vector<const void*> in_;
  std::vector<void*> out_;
};

}  // namespace parapet::mesh

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/workers.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/table_exchange.h"
#include "engine/nn/lookup_rows.h"

namespace parapet::nn {

/// What a lookup of a plan reads: a lookup of a stack of sharded tables, or with stack −1 of a
/// table that is not sharded.
struct StackMember {
  int stack = -1;
  int position = 0;  ///< among the lookups of the stack
};

/// Sharded tables of a plan that are looked up together: equal placement, owners and columns. Their
/// optimizers may differ. Before a step the ranks request the rows they need; after it the
/// gradients go back to the shards.
class ShardedStack {
 public:
  /// `tables`: parameters; `lookups`: indices into graph.lookups(). With 2 `stages` the routes of a
  /// batch can be made while those of another are in use.
  ShardedStack(const Graph& graph, const PlanLayout& layout, std::span<const Parameter> parameters,
               std::vector<ParameterIndex> tables, std::vector<std::size_t> lookups,
               const mesh::DeviceMesh& mesh, int stages);

  [[nodiscard]] const std::vector<ParameterIndex>& tables() const { return tables_; }
  [[nodiscard]] const std::vector<std::size_t>& lookups() const { return lookups_; }
  [[nodiscard]] const mesh::TableRoutes& routes() const { return routes_[now_]; }
  /// Elements of an example that are exchanged each way, with one id per example.
  [[nodiscard]] std::int64_t elementsPerRow() const {
    return static_cast<std::int64_t>(lookups_.size()) * routes().shape().cols();
  }
  /// Whether ranks receive rows; of tables that each space has whole they read their own copy.
  [[nodiscard]] bool fetchesRows() const { return routes().shape().fetchesRows(); }

  /// The host stage of one rank: its ids merged and sorted by shard. Ranks may run at once. `rows`
  /// are those of the rank among the ones that `lookups` were prepared for.
  void route(std::size_t stage, int rank, mesh::RowSlice rows, std::span<const LookupRows> lookups);
  /// The stage whose routes all else uses.
  void use(std::size_t stage) { now_ = stage; }
  /// Ids to the owners, rows back; `workers` runs what is done for each rank.
  Status fetch(const mesh::DeviceMesh& mesh, std::span<const Parameter> parameters,
               mesh::Communicator& communicator, Workers* workers);

  // Of the rank after fetch(): its rows, and for each id of a lookup the row it stands for.
  [[nodiscard]] const float* rows(int rank) const { return exchange_.rows(rank); }
  [[nodiscard]] std::int64_t received(int rank) const { return routes().received(rank); }
  [[nodiscard]] const std::int32_t* positionsHere(int rank, int lookup) const {
    return routes().positionsHere(rank, lookup);
  }

  /// A rank's gradients of the outputs of the lookups, in the order of lookups(): [·, cols] of the
  /// rows of its memory space, of which `rows` are its own; null: not trained. They are merged by
  /// row. Ranks may run at once.
  void mergeGradients(const tensor::Launch& launch, int rank, mesh::RowSlice rows,
                      std::span<const float* const> gradients, std::span<const LookupRows> lookups);
  /// What all ranks have merged goes to the owners.
  Status sendGradients(const mesh::DeviceMesh& mesh, mesh::Communicator& communicator,
                       Workers* workers);
  /// What the optimizer updates of a copy of a shard of tables()[position], after sendGradients().
  tensor::UpdateTarget target(const tensor::Launch& launch, Parameter& table, int position,
                              mesh::ShardCopy of);
  [[nodiscard]] const mesh::StackShape& shape() const { return routes().shape(); }

  [[nodiscard]] std::uint64_t bytes() const {
    return routes().bytes() * routes_.size() + exchange_.bytes();
  }
  /// The shape of a stack before it exists, of the tables of these shardings, [parameter].
  static mesh::StackShape shapeOf(const Graph& graph, const PlanLayout& layout,
                                  std::span<const mesh::Sharding> shardings,
                                  const std::vector<ParameterIndex>& tables,
                                  const std::vector<std::size_t>& lookups,
                                  const mesh::DeviceMesh& mesh);

 private:
  std::vector<ParameterIndex> tables_;
  std::vector<std::size_t> lookups_;
  std::vector<mesh::TableRoutes> routes_;  // by stage
  std::size_t now_ = 0;
  mesh::TableExchange exchange_;
  std::vector<std::vector<std::span<const std::int32_t>>> idsOfRank_;  // scratch of route
  std::vector<std::vector<const float*>> weightsOfRank_;               // scratch of fetch
  std::vector<std::vector<mesh::LookupGradient>> gradientsOfRank_;     // scratch of sendGradients
};

}  // namespace parapet::nn

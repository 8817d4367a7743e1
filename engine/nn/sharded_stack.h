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
/// optimizers may differ. Before a step the memory spaces request the rows they need; after it the
/// gradients go back to the shards. What a rank is to TableRoutes and TableExchange is a memory
/// space here, and their communicator is that of the spaces.
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
  /// Whether spaces receive rows; of tables that each has whole they read their own copy.
  [[nodiscard]] bool fetchesRows() const { return routes().shape().fetchesRows(); }

  /// The host stage of one space: the ids of its lookups merged and sorted by shard. Spaces may run
  /// at once.
  void route(std::size_t stage, int space, std::span<const LookupRows> lookups);
  /// The stage whose routes all else uses.
  void use(std::size_t stage) { now_ = stage; }
  /// Ids to the owners, rows back; `workers` runs what is done for each space.
  Status fetch(std::span<Parameter> parameters, mesh::Communicator& communicator, RowCache::Use use,
               Workers* workers);

  // Rows of the space after fetch(), and for each id of a lookup the row that it stands for.
  [[nodiscard]] const float* rows(int space) const { return exchange_.rows(space); }
  [[nodiscard]] std::int64_t received(int space) const { return routes().received(space); }
  [[nodiscard]] const std::int32_t* positionsHere(int space, int lookup) const {
    return routes().positionsHere(space, lookup);
  }

  /// A space's gradients of the outputs of the lookups, in the order of lookups(): [·, cols]; null:
  /// not trained. They are merged by row. Spaces may run at once.
  void mergeGradients(const tensor::Launch& launch, int space,
                      std::span<const float* const> gradients, std::span<const LookupRows> lookups);
  /// What all spaces have merged goes to the owners.
  Status sendGradients(mesh::Communicator& communicator, Workers* workers);
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
  std::vector<tensor::Device> devices_;  // by space
  mesh::TableExchange exchange_;
  // Scratch by space: of route(), fetch() and mergeGradients().
  std::vector<std::vector<std::span<const std::int32_t>>> ids_;
  std::vector<std::vector<mesh::TableExchange::ShardRows>> shards_;
  std::vector<std::vector<mesh::LookupGradient>> gradients_;
};

}  // namespace parapet::nn

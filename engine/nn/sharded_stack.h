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

/// Sharded tables of a plan that are looked up together: equal placement, owners and columns. Their
/// optimizers may differ. Before a step the memory spaces request the rows they need; after it the
/// gradients go back to the shards. What a rank is to TableRoutes and TableExchange is a memory
/// space here, and their communicator is that of the spaces.
class ShardedStack {
 public:
  /// With 2 `stages` the routes of a batch can be made while those of another are in use.
  ShardedStack(const Graph& graph, const Program& program, std::span<const Parameter> parameters,
               StackTables of, const mesh::DeviceMesh& mesh, int stages);

  [[nodiscard]] const std::vector<ParameterIndex>& tables() const { return of_.tables; }
  [[nodiscard]] const std::vector<std::size_t>& lookups() const { return of_.lookups; }
  [[nodiscard]] const mesh::TableRoutes& routes() const { return routes_[now_]; }
  /// Elements of an example that are exchanged each way, with one id per example.
  [[nodiscard]] std::int64_t elementsPerRow() const {
    return static_cast<std::int64_t>(of_.lookups.size()) * routes().shape().cols();
  }
  /// Whether spaces receive rows; of tables that each has whole they read their own copy.
  [[nodiscard]] bool fetchesRows() const { return routes().shape().fetchesRows(); }

  /// The host stage of one space: the ids of its lookups merged and sorted by shard. Spaces may run
  /// at once.
  void route(std::size_t stage, int space, std::span<const LookupRows> lookups);
  /// The stage whose routes all else uses.
  void use(std::size_t stage) { now_ = stage; }
  /// Ids to the owners.
  Status sendIds(mesh::Communicator& communicator) { return routes_[now_].exchange(communicator); }
  /// The owner's side of one space: the requested rows are copied. Spaces may run at once.
  void gatherRows(std::span<Parameter> parameters, int space, RowCache::Use use);
  /// Rows to those who asked for them; `workers` runs what is done for each space.
  Status sendRows(mesh::Communicator& communicator, Workers* workers) {
    return exchange_.exchangeRows({&devices_[0], workers}, routes_[now_], communicator);
  }

  // Rows of the space after sendRows(), and for each id of a lookup the row that it stands for.
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
  Status sendGradients(mesh::Communicator& communicator, Workers* workers) {
    return exchange_.exchangeGradients({&devices_[0], workers}, routes_[now_], communicator);
  }
  /// What the optimizer updates of a copy of a shard of tables()[position], after sendGradients().
  tensor::UpdateTarget target(const tensor::Launch& launch, Parameter& table, int position,
                              mesh::ShardCopy of);
  [[nodiscard]] const mesh::StackShape& shape() const { return routes().shape(); }

 private:
  StackTables of_;
  std::vector<mesh::TableRoutes> routes_;  // by stage
  std::size_t now_ = 0;
  std::vector<tensor::Device> devices_;  // by space
  mesh::TableExchange exchange_;
  // Scratch by space: of route(), gatherRows() and mergeGradients().
  std::vector<std::vector<std::span<const std::int32_t>>> ids_;
  std::vector<std::vector<mesh::TableExchange::ShardRows>> shards_;
  std::vector<std::vector<mesh::LookupGradient>> gradients_;
};

}  // namespace parapet::nn

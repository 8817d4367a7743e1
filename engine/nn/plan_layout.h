// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/nn/graph.h"

namespace parapet::nn {

enum class PlanPurpose {
  kTrain,    ///< forward, backward, reduce, update
  kForward,  ///< forward to the targets only
};

/// A gradient that is never written out: row b is gradient(scale)[b] times row b of `rows`. So it
/// is on either side of a row-wise dot product.
struct FactoredGradient {
  Value scale;
  Value rows;
};

/// A table that a step updates, and the lookups that its gradient comes from.
struct TableLayout {
  ParameterIndex table;
  std::vector<Lookup> lookups;
  std::optional<FactoredGradient> factored;  ///< only with a single lookup
};

/// What a plan makes of a graph before it has memory.
///
/// A lookup that only a row-wise dot product reads is not run: the product reads the table in
/// place. In training the gradient of one side is made of the rows of the other, and both tables
/// change in the same step; so the x side is updated first, from y's table, and y from the copy of
/// x's rows that the product left behind.
struct PlanLayout {
  std::vector<const Node*> nodes;              ///< those that run, in execution order
  std::vector<bool> hasValue, hasGradient;     ///< by value: whether it has a buffer
  std::vector<std::optional<Lookup>> inPlace;  ///< by value: the table rows that stand for it
  std::vector<TableLayout> tables;             ///< in the order of their updates

  PlanLayout(const Graph& graph, const std::vector<Value>& targets, PlanPurpose purpose);
  /// Bytes of all buffers of a plan.
  [[nodiscard]] std::uint64_t bytes(const Graph& graph, std::int64_t capacityRows, int ranks) const;

 private:
  void readInPlace(const Graph& graph, const std::vector<Value>& targets, bool trains);
};

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/mesh/sharding.h"
#include "engine/nn/plan_layout.h"

namespace parapet::nn {

/// Whether the gradient of a table that every memory space has whole is added up as a whole instead
/// of by its rows: where that is less to send, for at most `ids` ids in a space, and the optimizer
/// does the same with it.
///
///   by rows      (S − 1)·min(ids, V)·(D + 1) elements that a space sends
///   as a whole   2·(S − 1)/S·V·D
bool addsWholeGradient(const ParameterSpec& spec, std::int64_t ids, std::size_t spaces);

/// Whether each parameter is a table whose rows, or their gradients, a step brings from one memory
/// space to another (PlanCapacity::split). `replicated`: by parameter.
std::vector<bool> exchangedTables(const Graph& graph, const mesh::DeviceMesh& mesh,
                                  std::int64_t batchRows,
                                  const std::vector<std::int64_t>& idsPerRow, PlanPurpose purpose,
                                  const std::vector<bool>& replicated);

/// Rows of a batch that the space with the most ranks works on, at most.
std::int64_t largestSpaceRows(const mesh::DeviceMesh& mesh, std::int64_t batchRows);

/// What a plan for `capacityRows` rows of a global batch is made for in one memory space. `split`:
/// see PlanCapacity.
PlanCapacity spaceCapacity(const mesh::DeviceMesh& mesh, int space, std::int64_t capacityRows,
                           std::vector<std::int64_t> idsPerRow, std::vector<bool> split,
                           int batchesPerStep = 1);

/// Tables that are exchanged together, and their lookups: indices into graph.lookups().
struct StackParts {
  std::vector<ParameterIndex> tables;
  std::vector<std::size_t> lookups;
};
/// The stacks of a plan: of tables with the same sharding one where `stackTables` says so, else one
/// for each table. Their optimizers may differ, since each updates its own rows of what comes back.
/// `shardings`: by parameter.
std::vector<StackParts> stackParts(const Graph& graph, const PlanLayout& layout,
                                   std::span<const mesh::Sharding> shardings, bool stackTables);

/// Elements of the rows of a target that are gathered for the host: of several spaces, or of one
/// that it cannot read. A loss leaves nothing in its value.
std::int64_t outputElements(const Graph& graph, Value target, std::int64_t capacityRows);

/// Whether the ids of the next batch are sorted during a step, so that what they take is there
/// twice.
inline bool sortsAhead(bool overlap, PlanPurpose purpose, std::size_t stacks) {
  return overlap && purpose == PlanPurpose::kTrain && stacks > 0;
}

}  // namespace parapet::nn

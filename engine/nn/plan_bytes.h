// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/mesh/sharding.h"
#include "engine/nn/step_plan.h"

namespace parapet::nn {

/// What a plan computes, for how many rows.
struct PlanTask {
  std::vector<Value> targets;
  std::int64_t capacityRows = 1;
  PlanPurpose purpose = PlanPurpose::kForward;
  int batchesPerStep = 1;  ///< of kTrain: whose gradients make one update
};

/// Bytes of all buffers of a StepPlan before it exists, by rank of the mesh. Each part of a plan is
/// asked for what it takes (`bytesFor`), so that no second list of them can go stale; what a
/// memory space has once is shared out among its ranks as the rows of the batch are.
///
/// `shardings`: by parameter of the graph; `idsPerRow`: as StepPlan takes them. Staged batches are
/// counted with labels and without weights.
std::vector<std::int64_t> planBytes(const Graph& graph, std::span<const mesh::Sharding> shardings,
                                    const mesh::DeviceMesh& mesh, const PlanTask& task,
                                    const std::vector<std::int64_t>& idsPerRow,
                                    const StepPlan::Exchange& exchange);

/// Bytes of parameters before they exist, by memory space of the mesh: of tables, then of layers.
struct SpaceParameters {
  ParameterBytes tables, layers;
  /// Tables that lie in the host's memory, of which the space has a cache.
  ParameterBytes onHost{};
};
std::vector<SpaceParameters> spaceParameters(const Graph& graph,
                                             std::span<const mesh::Sharding> shardings,
                                             const mesh::DeviceMesh& mesh);
/// Bytes of all spaces in the host's memory.
ParameterBytes onHost(std::span<const SpaceParameters> spaces);

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/nn/parameter_updates.h"
#include "engine/nn/sharded_stack.h"
#include "engine/nn/slice_context.h"
#include "engine/nn/step_plan.h"
#include "engine/nn/table_update.h"

namespace parapet::nn {

/// The memory of a plan and the parts of a step. step_state.cpp makes it and prepares a step's ids,
/// step_slices.cpp runs the nodes, step_update.cpp applies what they found.
struct StepPlan::State {
  const Graph& graph;
  std::span<Parameter> parameters;
  const mesh::DeviceMesh& mesh;
  mesh::Communicator& communicator;
  Workers& workers;
  const PlanPurpose purpose;
  const PlanLayout layout;
  const tensor::Device& device;
  PlanBuffers buffers;
  /// Prepared ids by lookup: of this step, and for overlapped exchanges of the next.
  std::vector<std::vector<LookupRows>> stages{};
  std::size_t now = 0;                 ///< stage of this step
  std::int64_t batchAhead = 0;         ///< of the other stage; 0: none
  std::vector<StackMember> members{};  ///< by lookup
  std::vector<ShardedStack> stacks{};
  std::vector<TableUpdate> tables{};  ///< of tables in one piece
  ParameterUpdates updates;
  tensor::Buffer<float> denseGradients;  ///< of each slice, one after the other
  std::vector<const float*> denseParts{};
  std::vector<double> lossesOfSlice{};  ///< [slice][loss], and of the batch as a whole at the end
  std::vector<LossSums> losses{};
  std::vector<double> lossScales{};
  std::vector<NegativesSums> negatives{};      ///< by loss
  std::vector<std::int32_t> rankOffsets{};     ///< of the examples
  std::vector<const float*> stackGradients{};  ///< scratch of sendGradients
  std::vector<double> secondsOfSlice{};
  double secondsOfBatch = 0.0;  ///< in nodes that work on the whole batch
  StepTimes times{};

  State(const Graph& g, std::span<Parameter> p, const mesh::DeviceMesh& m, mesh::Communicator& c,
        Workers& w, const std::vector<Value>& targets, PlanCapacity capacity,
        PlanPurpose planPurpose)
      : graph(g),
        parameters(p),
        mesh(m),
        communicator(c),
        workers(w),
        purpose(planPurpose),
        layout(g, targets, planPurpose, std::move(capacity)),
        device(m.device(0)),
        buffers(g, layout, device),
        updates(g, layout, p, device),
        denseGradients(device, layout.slices() * layout.denseElements) {
    allocate();
  }

  void allocate();
  void addStage();
  void stackTables(const Exchange& exchange);
  void requireInput(const StepInput& step) const;
  [[nodiscard]] std::vector<LookupRows>& lookups() { return stages[now]; }
  void prepare(const StepInput& input);
  void prepareIds(std::size_t stage, const StepInput& input);
  /// Whether the ids of this batch were sorted during the last step.
  bool takeAhead(const StepInput& input);
  [[nodiscard]] std::int64_t routeCount() const {
    return static_cast<std::int64_t>(stacks.size()) * mesh.ranks();
  }
  void route(std::size_t stage, std::int64_t index, const StepInput& input);
  Status fetchRows(const StepInput& input, bool routed);
  [[nodiscard]] SliceRows sliceRows(int slice, std::int64_t rows) const;
  SliceContext contextOf(const PlanView& plan, int slice, Workers* inside);
  SliceContext contextOfBatch(const PlanView& plan);
  template <class Body>
  void runBatch(const PlanView& plan, const Body& body);
  void runSegments(const PlanView& plan, const StepInput* next);
  template <class Body>
  void runSlices(const PlanView& plan, bool first, const StepInput* next, const Body& body);
  void addUp();
  Status reduceAndUpdate(const StepInput& input, std::int64_t step);
  void addTable(std::size_t table);
  Status addStacks(const StepInput& input);
  void addDense();
  [[nodiscard]] PlanView view(const StepInput& input, std::int64_t step);
  /// Workers for a step, or null where the calling thread is faster alone.
  Workers* workersFor(std::int64_t rows) {
    return runsInParallel(graph, purpose, rows) ? &workers : nullptr;
  }
  /// The same for moving rows and gradients of sharded tables, where elements are copied and added.
  Workers* workersForExchange(std::int64_t rows) {
    std::int64_t elements = 0;
    for (const ShardedStack& stack : stacks) elements += rows * stack.elementsPerRow();
    return elements >= kMinParallelElements ? &workers : nullptr;
  }
  Parameter& parameter(ParameterIndex index) { return parameters[at(index)]; }
};

}  // namespace parapet::nn

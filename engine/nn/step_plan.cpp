// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_plan.h"

#include <fmt/format.h>

#include "engine/nn/step_state.h"

namespace parapet::nn {
namespace {

PlanCapacity capacityOf(std::span<const Parameter> parameters, const mesh::DeviceMesh& mesh,
                        std::int64_t rows, std::vector<std::int64_t> idsPerRow) {
  if (rows < 1)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] capacity {}; at least 1 row is accepted", rows));
  PlanCapacity capacity{rows, mesh.ranks(), std::move(idsPerRow), {}};
  for (const Parameter& parameter : parameters)
    capacity.split.push_back(!parameter.sharding.isReplicated());
  return capacity;
}

}  // namespace

StepPlan::StepPlan(const Graph& graph, std::span<Parameter> parameters,
                   const mesh::DeviceMesh& mesh, mesh::Communicator& communicator, Workers& workers,
                   std::vector<Value> targets, std::int64_t capacityRows, PlanPurpose purpose,
                   std::vector<std::int64_t> idsPerRow, const Exchange& exchange)
    : state_(new State(graph, parameters, mesh, communicator, workers, targets,
                       capacityOf(parameters, mesh, capacityRows, std::move(idsPerRow)), purpose)) {
  state_->stackTables(exchange);
}

StepPlan::~StepPlan() = default;

Status StepPlan::forward(const StepInput& input) {
  State& state = *state_;
  state.requireInput(input);
  state.prepare(input);
  state.prepareIds(state.now, input);
  PARAPET_TRY(state.fetchRows(input, false));
  PlanView plan = state.view(input, 0);
  plan.trains = false;
  state.runSegments(plan, nullptr);
  state.addUp();
  return {};
}

Status StepPlan::train(const StepInput& input, std::int64_t step, const StepInput* next) {
  State& state = *state_;
  if (state.purpose != PlanPurpose::kTrain)
    throw InvalidArgument("[nn.StepPlan] train() of a plan that was made for forward()");
  state.requireInput(input);
  state.prepare(input);
  const bool routed = state.takeAhead(input);
  if (!routed) state.prepareIds(state.now, input);
  PARAPET_TRY(state.fetchRows(input, routed));
  const bool canRoute = state.stages.size() == 2 && state.workers.count() > 1 &&
                        state.layout.segments[0].scope == NodeScope::kSlice;
  if (!canRoute || (next && next->batch == 0)) next = nullptr;
  if (next) {
    state.requireInput(*next);
    state.prepareIds(1 - state.now, *next);
  }
  state.runSegments(state.view(input, step), next);
  if (next) state.batchAhead = next->batch;
  state.addUp();
  return state.reduceAndUpdate(input, step);
}

std::span<const LossSums> StepPlan::losses() const {
  return state_->losses;
}

const float* StepPlan::output(Value value) const {
  return state_->buffers.value(value, 0);
}

const StepTimes& StepPlan::times() const {
  return state_->times;
}

bool StepPlan::keptWeightsFinite() const {
  return state_->updates.keptWeightsFinite();
}

const FeatureCounts& StepPlan::counts(std::size_t lookup) const {
  return state_->lookups().at(lookup).counts();
}

std::vector<const mesh::TableRoutes*> StepPlan::routes() const {
  std::vector<const mesh::TableRoutes*> routes;
  for (const ShardedStack& stack : state_->stacks) routes.push_back(&stack.routes());
  return routes;
}

std::uint64_t StepPlan::bytes() const {
  std::uint64_t total =
      state_->buffers.bytes() + state_->updates.bytes() + state_->denseGradients.bytes();
  for (const std::vector<LookupRows>& stage : state_->stages)
    for (std::size_t i = 0; i < stage.size(); ++i)
      if (state_->layout.runs[i]) total += stage[i].bytes();
  for (const TableUpdate& table : state_->tables) total += table.bytes();
  for (const ShardedStack& stack : state_->stacks) total += stack.bytes();
  return total;
}

double totalLoss(const Graph& graph, std::span<const LossSums> losses) {
  double total = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i)
    total += graph.losses()[i].weight * losses[i].numerator / losses[i].denominator;
  return total;
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_plan.h"

#include <fmt/format.h>

#include "engine/nn/step_state.h"

namespace parapet::nn {
StepPlan::StepPlan(const Graph& graph, std::span<Parameter> parameters,
                   const mesh::DeviceMesh& mesh, mesh::Communicator& communicator, Workers& workers,
                   std::vector<Value> targets, std::int64_t capacityRows, PlanPurpose purpose,
                   std::vector<std::int64_t> idsPerRow, const Exchange& exchange)
    : state_(new State(graph, parameters, mesh, communicator, workers, targets, capacityRows,
                       purpose, idsPerRow)) {
  state_->stackTables(exchange);
}

StepPlan::~StepPlan() = default;

Status StepPlan::forward(const StepInput& input) {
  State& state = *state_;
  state.requireInput(input);
  state.prepare(input);
  state.prepareIds(state.now, input);
  state.cutRows();
  PARAPET_TRY(state.fetchRows(input, State::Routes::kMake));
  PARAPET_TRY(state.runSegments(state.view(input, 0), nullptr));
  PARAPET_TRY(state.addUp());
  return state.gatherOutputs();
}

Status StepPlan::train(const StepInput& input, std::int64_t step, const StepInput* next) {
  State& state = *state_;
  if (state.purpose != PlanPurpose::kTrain)
    throw InvalidArgument("[nn.StepPlan] train() of a plan that was made for forward()");
  if (step < 1)
    throw InvalidArgument(fmt::format("[nn.StepPlan] step {}; steps count from 1", step));
  state.requireInput(input);
  state.prepare(input);
  const bool routed = state.takeAhead(input);
  if (!routed) state.prepareIds(state.now, input);
  state.cutRows();
  PARAPET_TRY(state.fetchRows(input, routed ? State::Routes::kMade : State::Routes::kMake));
  const bool canRoute = state.spaces[0]->stages.size() == 2 && state.workers.count() > 1 &&
                        state.layout().segments[0].scope == NodeScope::kSlice;
  if (!canRoute || (next && next->batch == 0)) next = nullptr;
  if (next) {
    state.requireInput(*next);
    state.prepareIds(1 - state.now, *next);
  }
  PARAPET_TRY(state.runSegments(state.view(input, step), next));
  if (next) state.batchAhead = next->batch;
  PARAPET_TRY(state.reduceAndUpdate(input, step));
  PARAPET_TRY(state.gatherOutputs());
  return state.addUp();
}

std::span<const LossSums> StepPlan::losses() const {
  return state_->losses;
}

const float* StepPlan::output(Value value) const {
  return state_->outputs.empty() ? state_->spaces[0]->buffers.value(value, 0)
                                 : state_->outputs[at(value)].data();
}

const StepTimes& StepPlan::times() const {
  return state_->times;
}

bool StepPlan::keptWeightsFinite() const {
  return state_->sums[State::kSumsOfSpace * state_->losses.size()] == 0.0;
}

const FeatureCounts& StepPlan::counts(std::size_t lookup) const {
  return state_->counts.at(lookup);
}

std::vector<const mesh::TableRoutes*> StepPlan::routes() const {
  std::vector<const mesh::TableRoutes*> routes;
  for (const ShardedStack& stack : state_->stacks) routes.push_back(&stack.routes());
  return routes;
}

std::uint64_t StepPlan::bytes() const {
  std::uint64_t total = 0;
  for (const auto& space : state_->spaces) total += space->bytes();
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

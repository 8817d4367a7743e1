// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_plan.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/nn/step_state.h"

namespace parapet::nn {
StepPlan::StepPlan(const Graph& graph, std::span<Parameter> parameters,
                   const mesh::DeviceMesh& mesh, mesh::Communicator& communicator, Workers& workers,
                   std::vector<Value> targets, std::int64_t capacityRows, PlanPurpose purpose,
                   std::vector<std::int64_t> idsPerRow, const Exchange& exchange,
                   int batchesPerStep)
    : state_(new State(graph, parameters, mesh, communicator, workers, targets, capacityRows,
                       purpose, idsPerRow, batchesPerStep)) {
  state_->stackTables(exchange);
}

StepPlan::~StepPlan() = default;

// A device that fails outside the segment of a rank is that of the ranks that it is named by.
template <class Pass>
Status StepPlan::State::guarded(const Pass& pass) {
  if (broken) return *broken;
  const auto nameOf = [this](int rank) {
    return fmt::format("rank {} ({})", rank, mesh.device(rank).name());
  };
  try {
    const Status done = pass();
    if (done) return done;
    broken = done.error();
  } catch (const RankFailure& failure) {
    broken =
        Error{ErrorCode::kDevice, fmt::format("{}: {}", nameOf(failure.rank()), failure.what())};
  } catch (const tensor::DeviceFailure& failure) {
    int rank = 0;
    while (rank + 1 < mesh.ranks() && mesh.device(rank).name() != failure.device()) ++rank;
    broken = Error{ErrorCode::kDevice, fmt::format("{}: {}", nameOf(rank), failure.what())};
    // Reading back waits for peers, too: the communicator may know which one is lost.
    if (const Status peers = communicator.barrier(); !peers.ok())
      broken = broken->wrap(peers.error().message);
  }
  communicator.abort(broken->message);
  return *broken;
}

Status StepPlan::forward(const StepInput& input) {
  return state_->guarded([&] { return state_->forward(input); });
}

Status StepPlan::train(const StepInput& input, std::int64_t step, const StepInput* next,
                       const Part& part) {
  if (state_->purpose != PlanPurpose::kTrain)
    throw InvalidArgument("[nn.StepPlan] train() of a plan that was made for forward()");
  if (step < 1)
    throw InvalidArgument(fmt::format("[nn.StepPlan] step {}; steps count from 1", step));
  if (part.index != state_->partsDone || part.index >= state_->batchesPerStep)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] part {} of a step; part {} of at most {} comes", part.index,
                    state_->partsDone, state_->batchesPerStep));
  return state_->guarded([&] { return state_->train(input, step, next, part); });
}

Status StepPlan::State::forward(const StepInput& input) {
  requireInput(input);
  prepare(input);
  prepareIds(now, input);
  cutRows();
  PARAPET_TRY(fetchRows(input, Routes::kMake));
  PARAPET_TRY(runSegments(view(input, 0), nullptr));
  PARAPET_TRY(addUp());
  return gatherOutputs();
}

Status StepPlan::State::train(const StepInput& input, std::int64_t step, const StepInput* next,
                              const Part& part) {
  requireInput(input);
  prepare(input);
  const bool routed = takeAhead(input);
  if (!routed) prepareIds(now, input);
  cutRows();
  PARAPET_TRY(fetchRows(input, routed ? Routes::kMade : Routes::kMake));
  const bool canRoute =
      spaces[0]->stages.size() == 2 && workers.count() > 1 && !layout().segments[0].ofBatch;
  if (!canRoute || (next && next->batch == 0)) next = nullptr;
  if (next) {
    requireInput(*next);
    prepareIds(1 - now, *next);
  }
  if (batchesPerStep > 1) leaveDenominators();
  PARAPET_TRY(runSegments(view(input, step, part.index), next));
  if (next) batchAhead = next->batch;
  PARAPET_TRY(reduceAndUpdate(input, step, part));
  PARAPET_TRY(addUp());
  return gatherOutputs();
}

std::span<const LossSums> StepPlan::losses() const {
  return state_->losses;
}

const float* StepPlan::output(Value value) const {
  return state_->outputs.empty() ? state_->spaces[0]->buffers.value(value, 0)
                                 : state_->outputs[at(value)].data();
}

std::span<const float> StepPlan::outputRows(Value value) const {
  const std::int64_t rows = state_->rowBegins[at(state_->graph.rowSpace(value))].back();
  return {output(value), static_cast<std::size_t>(rows * state_->graph.cols(value))};
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
  for (const std::vector<float>& output : state_->outputs) total += output.size() * sizeof(float);
  return total;
}

double totalLoss(const Graph& graph, std::span<const LossSums> losses) {
  double total = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < losses.size(); ++i)
    if (losses[i].denominator > 0.0)
      total = (std::isnan(total) ? 0.0 : total) + graph.losses()[i].weight * losses[i].mean();
  return total;
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"
#include "engine/nn/step_state.h"

namespace parapet::nn {

Status StepPlan::State::addStacks(const StepInput& input) {
  Workers* const outside = workersForExchange(input.rows);
  for (ShardedStack& stack : stacks) {
    bool any = false;
    for (const auto& space : spaces) any = space->findGradients(stack);
    if (!any) continue;
    runBlocks(outside, mesh.ranks(), [&](std::int64_t rank) {
      spaceOf(static_cast<int>(rank))
          .mergeGradients(stack, static_cast<int>(rank), now, input.rows);
    });
    PARAPET_TRY(stack.sendGradients(mesh, communicator, outside));
  }
  return {};
}

Status StepPlan::State::addDense() {
  if (layout().denseElements == 0) return {};
  if (isAlone()) {
    spaces[0]->addSlices(&workers);
    return {};
  }
  forSpaces(&workers, [](SpacePlan& space) { space.addSlices(nullptr); });
  for (const auto& space : spaces) buffersOfSpace[at(space->index)] = space->denseGradients.data();
  return communicator.allReduce(buffersOfSpace, layout().denseElements, mesh::ElementType::kF32);
}

// What norms are of is not in one space alone.
Status StepPlan::State::applyUpdates(const StepInput& input, std::int64_t step) {
  Workers* const outside = workersFor(input.rows);
  if (isAlone()) {
    SpacePlan& only = *spaces[0];
    const tensor::Launch launch{&only.device, outside};
    only.updates.measureSquares(launch);
    only.updates.clip(launch);
    only.updates.measureMeanSquares(launch);
    only.updates.apply(only.device, outside, step);
    keptWeightsFinite = only.updates.keptWeightsFinite();
    return {};
  }
  const auto sumOver = [&](std::int64_t count, mesh::ElementType type) {
    return communicator.allReduce(buffersOfSpace, count, type);
  };
  forSpaces(outside, [](SpacePlan& space) {
    space.updates.measureSquares({&space.device, nullptr});
  });
  for (const auto& space : spaces)
    buffersOfSpace[at(space->index)] = space->updates.squares().data();
  PARAPET_TRY(sumOver(static_cast<std::int64_t>(spaces[0]->updates.squares().size()),
                      mesh::ElementType::kF64));
  forSpaces(outside, [](SpacePlan& space) {
    space.updates.clip({&space.device, nullptr});
    space.updates.measureMeanSquares({&space.device, nullptr});
  });
  const std::size_t shared = spaces[0]->updates.meanSquaresCount();
  for (std::size_t i = 0; i < shared; ++i) {
    for (const auto& space : spaces)
      buffersOfSpace[at(space->index)] = space->updates.meanSquares(i).data();
    PARAPET_TRY(sumOver(static_cast<std::int64_t>(spaces[0]->updates.meanSquares(i).size()),
                        mesh::ElementType::kF32));
  }
  forSpaces(outside, [&](SpacePlan& space) { space.updates.apply(space.device, nullptr, step); });
  for (const auto& space : spaces) {
    sums[at(space->index)] = space->updates.keptWeightsFinite() ? 0.0 : 1.0;
    buffersOfSpace[at(space->index)] = &sums[at(space->index)];
  }
  PARAPET_TRY(sumOver(1, mesh::ElementType::kF64));
  keptWeightsFinite = sums[0] == 0.0;
  return {};
}

Status StepPlan::State::reduceAndUpdate(const StepInput& input, std::int64_t step) {
  Stopwatch clock;
  PARAPET_TRY(communicator.barrier());
  PARAPET_TRY(addStacks(input));
  PARAPET_TRY(addDense());
  forSpaces(isAlone() ? nullptr : workersFor(input.rows),
            [&](SpacePlan& space) { space.addUpdates(now, stacks); });
  times.collective += clock.seconds();
  clock.restart();
  PARAPET_TRY(applyUpdates(input, step));
  times.update = clock.seconds();
  return {};
}

}  // namespace parapet::nn

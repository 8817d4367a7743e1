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
    forSpaces(outside, [&](SpacePlan& space, Workers*) { space.mergeGradients(stack, now); });
    PARAPET_TRY(stack.sendGradients(*betweenSpaces, outside));
  }
  return {};
}

std::int64_t StepPlan::State::completeFrom() const {
  std::int64_t begin = layout().denseElements;
  for (const GradientBucket& bucket : layout().buckets)
    if (bucket.node >= passed) begin = bucket.begin;
  return begin;
}

Status StepPlan::State::addDense(std::int64_t begin, Workers* outside) {
  const std::int64_t elements = addedFrom - begin;
  if (elements == 0) return {};
  forSpaces(outside, [&](SpacePlan& space, Workers* inside) {
    space.addSlices(begin, addedFrom, {&space.device, inside});
  });
  addedFrom = begin;
  return sumOverSpaces(elements, mesh::ElementType::kF32, mesh::Memory::kDevice,
                       [begin](SpacePlan& space) { return space.denseGradient(begin); });
}

// Gradients of whole tables lie before the dense ones.
Status StepPlan::State::addRest() {
  const std::int64_t elements = layout().wholeElements + addedFrom;
  if (elements == 0) return {};
  forSpaces(&workers, [&](SpacePlan& space, Workers* inside) {
    space.run([&](tensor::Recording* recording) {
      const tensor::Launch launch{&space.device, inside, tensor::Precision::kFp32, recording};
      space.addSlices(0, addedFrom, launch);
      space.addLookups(launch);
    });
  });
  return sumOverSpaces(elements, mesh::ElementType::kF32, mesh::Memory::kDevice,
                       [](SpacePlan& space) { return space.denseGradients.data(); });
}

// What norms are of is not in one space alone.
Status StepPlan::State::applyUpdates(const StepInput& input, std::int64_t step) {
  Workers* const outside = workersFor(input.rows);
  forSpaces(outside, [](SpacePlan& space, Workers* inside) {
    space.updates.measureSquares({&space.device, inside});
  });
  PARAPET_TRY(sumOverSpaces(spaces[0]->updates.squares().size(), mesh::ElementType::kF64,
                            mesh::Memory::kDevice,
                            [](SpacePlan& space) { return space.updates.squares().data(); }));
  forSpaces(outside, [](SpacePlan& space, Workers* inside) {
    space.updates.clip({&space.device, inside});
    space.updates.measureMeanSquares({&space.device, inside});
  });
  for (std::size_t i = 0; i < spaces[0]->updates.meanSquaresCount(); ++i)
    PARAPET_TRY(
        sumOverSpaces(static_cast<std::int64_t>(spaces[0]->updates.meanSquares(i).size()),
                      mesh::ElementType::kF32, mesh::Memory::kDevice,
                      [i](SpacePlan& space) { return space.updates.meanSquares(i).data(); }));
  forSpaces(outside, [&](SpacePlan& space, Workers* inside) {
    Workers* const workersOfOps = space.device.isHost() ? inside : nullptr;
    space.run([&](tensor::Recording* recording) {
      space.updates.apply({&space.device, workersOfOps, tensor::Precision::kFp32, recording}, step,
                          space.nonFinite());
    });
  });
  return {};
}

void StepPlan::State::leaveDenominators() {
  const double denominator = losses[0].denominator;
  for (double& scale : lossScales) scale *= denominator;
  const bool isSum = graph.losses()[0].reduction == experiment::Reduction::kSum;
  denominators = isSum ? 1.0 : denominators + denominator;
}

// Where no part has an example that counts, all sums are 0.
void StepPlan::State::accumulate(const StepInput& input, const Part& part) {
  const auto scale = denominators > 0.0 ? static_cast<float>(1.0 / denominators) : 0.0f;
  forSpaces(workersFor(input.rows), [&](SpacePlan& space, Workers* inside) {
    if (part.isLast)
      space.takeSums({&space.device, inside}, scale);
    else
      space.addToSums({&space.device, inside});
  });
  partsDone = part.isLast ? 0 : partsDone + 1;
  if (part.isLast) denominators = 0.0;
}

Status StepPlan::State::reduceAndUpdate(const StepInput& input, std::int64_t step,
                                        const Part& part) {
  Stopwatch clock;
  PARAPET_TRY(communicator.barrier());
  PARAPET_TRY(addStacks(input));
  PARAPET_TRY(addRest());
  forSpaces(workersFor(input.rows),
            [&](SpacePlan& space, Workers*) { space.addUpdates(now, stacks); });
  times.collective += clock.seconds();
  clock.restart();
  if (batchesPerStep > 1) {
    accumulate(input, part);
    times.update = clock.seconds();
    if (!part.isLast) return {};
  }
  PARAPET_TRY(applyUpdates(input, step));
  times.update = clock.seconds();
  return {};
}

}  // namespace parapet::nn

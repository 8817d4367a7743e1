// SPDX-License-Identifier: Apache-2.0
// What the memory spaces of a plan tell one another besides the rows of tables: nodes that look at
// the whole batch, sums of losses, and values that are read afterwards.
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/nn/step_state.h"

namespace parapet::nn {

Status StepPlan::State::meet(std::size_t index, Pass pass, Workers* outside) {
  const BatchNode& node = *layout().nodes[index]->asBatchNode();
  sliceOfSpace.clear();
  for (const auto& space : spaces) {
    sliceOfSpace.push_back(space->sliceOfAll(views[at(space->index)], nullptr));
    sliceOfSpace.back().begin(index, pass);
  }
  const int rounds = node.rounds(sliceOfSpace[0], pass);
  for (int round = 0; round < rounds; ++round) {
    forSpaces(outside, [&](const SpacePlan& space, Workers*) {
      const std::size_t self = at(space.index);
      meetings[self] = node.round(sliceOfSpace[self], pass, round);
    });
    PARAPET_TRY(exchange());
  }
  forSpaces(outside,
            [&](const SpacePlan& space, Workers*) { sliceOfSpace[at(space.index)].end(); });
  return {};
}

// What all spaces have asked for; see Meeting.
Status StepPlan::State::exchange() {
  const Meeting& asked = meetings[0];
  if (asked.kind == Meeting::Kind::kNone) return {};
  for (std::size_t space = 0; space < spaces.size(); ++space) {
    inOfSpace[space] = meetings[space].in;
    buffersOfSpace[space] = meetings[space].out;
    countsOfSpace[space] =
        (rowBegins[kExamples][space + 1] - rowBegins[kExamples][space]) * asked.width;
  }
  switch (asked.kind) {
    case Meeting::Kind::kSum:
      return betweenSpaces->allReduce(buffersOfSpace, asked.width, asked.type, asked.memory);
    case Meeting::Kind::kGather:
      return betweenSpaces->allGather(inOfSpace, buffersOfSpace, countsOfSpace, asked.type,
                                      asked.memory);
    default:
      return betweenSpaces->reduceScatter(inOfSpace, buffersOfSpace, countsOfSpace, asked.type,
                                          asked.memory);
  }
}

// What a device with a stream has been asked for it works on until it is read back: that is its
// time, not that of the host, which has asked. Its ranks take turns.
void StepPlan::State::addDeviceTime(const SpacePlan& space, double seconds) {
  if (space.device.isHost()) return;
  const auto ranks = at(space.space.ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    times.computeOfRank[at(space.space.firstRank) + rank] += seconds / static_cast<double>(ranks);
}

Status StepPlan::State::addUp() {
  const std::size_t count = losses.size();
  const auto sumsOf = [&](const SpacePlan& space) {
    return sums.data() + at(space.index) * (kSumsOfSpace * count + 1);
  };
  // Every rank takes part in a node that works on the whole batch.
  std::ranges::fill(times.computeOfRank, secondsOfBatch);
  const Stopwatch clock;
  for (const auto& space : spaces) {
    space->readBack(rowBegins);
    addDeviceTime(*space, clock.seconds());
    double* const out = sumsOf(*space);
    for (std::size_t loss = 0; loss < count; ++loss) {
      double* const of = out + kSumsOfSpace * loss;
      of[0] = space->sumOf(loss, 0);
      of[1] = static_cast<double>(space->negatives[loss].masked);
      of[2] = space->negatives[loss].equalScores;
      of[3] = space->sumOf(loss, 1);
    }
    out[kSumsOfSpace * count] = space->keptWeightsFinite() ? 0.0 : 1.0;
  }
  PARAPET_TRY(sumOverSpaces(static_cast<std::int64_t>(kSumsOfSpace * count + 1),
                            mesh::ElementType::kF64, mesh::Memory::kHost, sumsOf));
  for (std::size_t loss = 0; loss < count; ++loss) {
    const double* const of = sums.data() + kSumsOfSpace * loss;
    losses[loss].numerator = of[0];
    losses[loss].negatives = {of[2], static_cast<std::int64_t>(of[1])};
    losses[loss].hits = of[3];
  }
  std::ranges::fill(counts, FeatureCounts{});
  times.pieces = times.replayed = 0;
  for (const auto& space : spaces) {
    times.pieces += space->pieces;
    times.replayed += space->replayed;
    for (std::size_t lookup = 0; lookup < counts.size(); ++lookup)
      counts[lookup].add(space->lookups(now)[lookup].counts());
    // Slices of a rank that several workers share go on side by side.
    const int perRank = space->layout.slicesPerRank;
    const double sideBySide = std::min(perRank, workers.count());
    for (std::size_t slice = 0; slice < space->secondsOfSlice.size(); ++slice)
      times.computeOfRank[at(space->space.firstRank) + slice / at(perRank)] +=
          space->secondsOfSlice[slice] / sideBySide;
  }
  return {};
}

Status StepPlan::State::gatherOutputs() {
  if (outputs.empty()) return {};
  for (Value value = 0; value < graph.values(); ++value) {
    std::vector<float>& out = outputs[at(value)];
    const std::int64_t cols = graph.cols(value);
    const std::vector<std::int64_t>& begins = rowBegins[at(graph.rowSpace(value))];
    for (std::size_t space = 0; space < spaces.size() && !out.empty(); ++space) {
      const SpacePlan& from = *spaces[space];
      const std::int64_t count = (begins[space + 1] - begins[space]) * cols;
      if (count == 0) continue;
      from.copyValue(value, count, out.data() + begins[space] * cols);
    }
  }
  return {};
}

}  // namespace parapet::nn

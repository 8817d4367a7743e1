// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/nn/step_state.h"

namespace parapet::nn {
SliceRows StepPlan::State::sliceRows(int slice, std::int64_t rows) const {
  const int rank = slice / layout.slicesPerRank;
  const mesh::RowSlice ofRank = mesh.slice(rank, rows);
  const std::int64_t part = slice % layout.slicesPerRank, parts = layout.slicesPerRank;
  return {rank,
          {ofRank.begin + ofRank.rows() * part / parts,
           ofRank.begin + ofRank.rows() * (part + 1) / parts},
          ofRank.begin};
}

SliceContext StepPlan::State::contextOf(const PlanView& plan, int slice, Workers* inside) {
  const SliceRows rows = sliceRows(slice, plan.input.rows);
  float* const gradients =
      layout.denseElements > 0 ? denseGradients.data() + slice * layout.denseElements : nullptr;
  const std::size_t count = graph.losses().size();
  return {plan,
          {&mesh.device(rows.rank), inside, graph.precision()},
          rows,
          gradients,
          std::span(lossesOfSlice).subspan(at(slice) * count, count)};
}

// What a node that works on the whole batch finds of dense gradients goes to the first slice, whose
// part of them is nobody else's.
SliceContext StepPlan::State::contextOfBatch(const PlanView& plan) {
  const std::size_t count = graph.losses().size();
  return {plan,
          {&device, workersFor(plan.input.rows), graph.precision()},
          {0, {0, plan.input.rows}, 0},
          layout.denseElements > 0 ? denseGradients.data() : nullptr,
          std::span(lossesOfSlice).subspan(at(layout.slices()) * count, count)};
}

// Slices that run side by side each keep to one worker; a lone one may use all of them. Grouping,
// and sorting the ids of the next batch, need ids alone, so they go along with the first.
template <class Body>
void StepPlan::State::runSlices(const PlanView& plan, bool first, const StepInput* next,
                                const Body& body) {
  const auto grouped = first ? static_cast<std::int64_t>(tables.size()) : 0;
  const std::int64_t beside = grouped + (first && next ? routeCount() : 0);
  const int slices = layout.slices();
  Workers* const outside = workersFor(plan.input.rows);
  const auto runSlice = [&](int slice, Workers* inside) {
    const Stopwatch clock;
    SliceContext context = contextOf(plan, slice, inside);
    body(context);
    secondsOfSlice[at(slice)] += clock.seconds();
  };
  const auto task = [&](std::int64_t block) {
    if (block < grouped) {
      TableUpdate& table = tables[static_cast<std::size_t>(block)];
      table.group({&device, nullptr}, parameter(table.layout().table), lookups());
    } else if (block < beside) {
      route(1 - now, block - grouped, *next);
    } else {
      runSlice(static_cast<int>(block - beside), nullptr);
    }
  };
  const bool alone = slices == 1;
  const std::int64_t blocks = alone ? beside : beside + slices;
  runBlocks(outside, blocks, task);
  if (alone) runSlice(0, outside);
}

template <class Body>
void StepPlan::State::runBatch(const PlanView& plan, const Body& body) {
  const Stopwatch clock;
  SliceContext context = contextOfBatch(plan);
  body(context);
  secondsOfBatch += clock.seconds();
}

void StepPlan::State::runSegments(const PlanView& plan, const StepInput* next) {
  const auto forward = [&](SliceContext& context, const Segment& segment) {
    for (std::size_t node = segment.begin; node < segment.end; ++node)
      layout.nodes[node]->forward(context);
  };
  const auto backward = [&](SliceContext& context, const Segment& segment) {
    for (std::size_t node = segment.end; node-- > segment.begin;)
      // A loss counts even where nothing that it depends on is trained.
      if (layout.hasGradient[at(layout.nodes[node]->output())] || layout.nodes[node]->isLoss())
        context.runBackward(node);
  };
  for (std::size_t i = 0; i < layout.segments.size(); ++i) {
    const Segment& segment = layout.segments[i];
    // The way back begins where the way there ends, without a meeting between them.
    const bool turns = plan.trains && i + 1 == layout.segments.size();
    const auto run = [&](SliceContext& context) {
      forward(context, segment);
      if (turns) backward(context, segment);
    };
    if (segment.scope == NodeScope::kSlice) {
      runSlices(plan, plan.trains && i == 0, next, run);
    } else {
      runBatch(plan, run);
    }
  }
  for (std::size_t i = layout.segments.size() - 1; plan.trains && i-- > 0;) {
    const Segment& segment = layout.segments[i];
    const auto run = [&](SliceContext& context) { backward(context, segment); };
    if (segment.scope == NodeScope::kSlice)
      runSlices(plan, false, nullptr, run);
    else
      runBatch(plan, run);
  }
}

void StepPlan::State::addUp() {
  const std::size_t count = graph.losses().size();
  for (std::size_t slice = 0; slice <= at(layout.slices()); ++slice)
    for (std::size_t loss = 0; loss < count; ++loss)
      losses[loss].numerator += lossesOfSlice[slice * count + loss];
  for (std::size_t loss = 0; loss < count; ++loss) losses[loss].negatives = negatives[loss];
  // Slices of a rank that several workers share go on side by side.
  const double sideBySide = std::min(layout.slicesPerRank, workers.count());
  // Every rank takes part in a node that works on the whole batch.
  std::ranges::fill(times.computeOfRank, secondsOfBatch);
  for (std::size_t slice = 0; slice < secondsOfSlice.size(); ++slice)
    times.computeOfRank[slice / at(layout.slicesPerRank)] += secondsOfSlice[slice] / sideBySide;
}

}  // namespace parapet::nn

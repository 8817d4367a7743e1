// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/nn/step_state.h"

namespace parapet::nn {
namespace {

void runForward(SliceContext& context, const Segment& segment) {
  for (std::size_t node = segment.begin; node < segment.end; ++node) context.runForward(node);
}

void runBackward(SliceContext& context, const PlanLayout& layout, const Segment& segment) {
  for (std::size_t node = segment.end; node-- > segment.begin;)
    if (layout.runsBackward(node)) context.runBackward(node);
}

void runNodes(SliceContext& context, const PlanLayout& layout, const Piece& piece) {
  if (piece.forward) runForward(context, *piece.forward);
  if (piece.backward) runBackward(context, layout, *piece.backward);
}

// Misuse is the caller's, not a rank's.
template <class Run>
void namingRank(int rank, const Run& run) {
  try {
    run();
  } catch (const InvalidArgument&) {
    throw;
  } catch (const std::exception& exception) {
    throw RankFailure(rank, exception.what());
  }
}

}  // namespace

// Slices that run side by side each keep to one worker; a lone one may use all of them. Grouping,
// and sorting the ids of the next batch, need ids alone, so they go along with the first; with those
// on the way back goes what memory spaces add up of complete gradients.
Status StepPlan::State::runSlices(const StepView& step, const Piece& piece, const StepInput* next) {
  const bool groups = step.trains && piece.forward && piece.forward->begin == 0;
  const auto tables = static_cast<std::int64_t>(spaces[0]->tables.size());
  const std::int64_t grouped = groups ? tables * static_cast<std::int64_t>(spaces.size()) : 0;
  const std::int64_t routed = grouped + (groups && next ? routeCount() : 0);
  const std::int64_t complete = completeFrom();
  const std::int64_t beside = routed + (complete < addedFrom ? 1 : 0);
  Workers* const outside = workersFor(step.batch.rows);
  Status added;
  const auto runSlice = [&](std::int64_t index, Workers* inside) {
    const auto after = std::ranges::upper_bound(sliceBegins, index);
    const auto of = static_cast<std::size_t>(after - sliceBegins.begin()) - 1;
    SpacePlan& space = *spaces[of];
    const auto slice = static_cast<int>(index - sliceBegins[of]);
    const Stopwatch clock;
    SliceContext context = space.contextOf(views[at(space.index)], slice, inside);
    namingRank(space.space.firstRank + slice / space.layout.slicesPerRank,
               [&] { runNodes(context, space.layout, piece); });
    space.secondsOfSlice[at(slice)] += clock.seconds();
  };
  const auto task = [&](std::int64_t block) {
    if (block < grouped)
      spaces[static_cast<std::size_t>(block / tables)]->groupTable(
          static_cast<std::size_t>(block % tables), now);
    else if (block < routed)
      route(1 - now, block - grouped);
    else if (block < beside)
      added = addDense(complete, nullptr);
    else
      runSlice(block - beside, nullptr);
  };
  const std::int64_t all = sliceBegins.back();
  const bool alone = all == 1;
  runBlocks(outside, alone ? beside : beside + all, task);
  if (alone) runSlice(0, outside);
  if (piece.backward) passed = piece.backward->begin;
  return added;
}

// In pieces that end where a bucket of gradients is complete.
Status StepPlan::State::runBack(const StepView& step, const Segment& segment, Passes passes,
                                const StepInput* next) {
  Piece piece;
  if (passes == Passes::kBoth) piece.forward = segment;
  for (std::size_t end = segment.end; end > segment.begin;) {
    std::size_t begin = segment.begin;
    for (const GradientBucket& bucket : layout().buckets)
      if (bucket.node < end) begin = std::max(begin, bucket.node);
    piece.backward = Segment{segment.scope, begin, end};
    PARAPET_TRY(runSlices(step, piece, next));
    piece.forward.reset();
    end = begin;
  }
  return {};
}

Status StepPlan::State::runBatch(const StepView& step, const Segment& segment, Passes passes) {
  const Stopwatch clock;
  Workers* const outside = workersFor(step.batch.rows);
  if (isAlone()) {
    SliceContext context = spaces[0]->contextOfAll(views[0], outside);
    Piece piece;
    if (passes != Passes::kBackward) piece.forward = segment;
    if (passes != Passes::kForward) piece.backward = segment;
    runNodes(context, layout(), piece);
  } else {
    if (passes != Passes::kBackward)
      for (std::size_t node = segment.begin; node < segment.end; ++node)
        PARAPET_TRY(meet(node, Pass::kForward, outside));
    if (passes != Passes::kForward)
      for (std::size_t node = segment.end; node-- > segment.begin;)
        if (layout().runsBackward(node)) PARAPET_TRY(meet(node, Pass::kBackward, outside));
  }
  secondsOfBatch += clock.seconds();
  return {};
}

Status StepPlan::State::runSegments(const StepView& step, const StepInput* next) {
  addedFrom = layout().denseElements;
  passed = layout().nodes.size();
  views.clear();
  for (const auto& space : spaces) views.push_back(space->view(now, step));
  const std::vector<Segment>& segments = layout().segments;
  const auto run = [&](std::size_t index, Passes passes) -> Status {
    const Segment& segment = segments[index];
    if (segment.scope == NodeScope::kBatch) return runBatch(step, segment, passes);
    if (passes == Passes::kForward) return runSlices(step, {segment, {}}, next);
    return runBack(step, segment, passes, next);
  };
  for (std::size_t i = 0; i < segments.size(); ++i) {
    // The way back begins where the way there ends, without a meeting between them.
    const bool turns = step.trains && i + 1 == segments.size();
    PARAPET_TRY(run(i, turns ? Passes::kBoth : Passes::kForward));
  }
  for (std::size_t i = segments.size() - 1; step.trains && i-- > 0;)
    PARAPET_TRY(run(i, Passes::kBackward));
  return {};
}

}  // namespace parapet::nn

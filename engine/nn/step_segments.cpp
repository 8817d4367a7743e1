// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/nn/step_state.h"

namespace parapet::nn {
namespace {

void runForward(StepSlice& slice, const Segment& segment) {
  for (std::size_t node = segment.begin; node < segment.end; ++node) slice.runForward(node);
}

void runBackward(StepSlice& slice, const PlanLayout& layout, const Segment& segment) {
  for (std::size_t node = segment.end; node-- > segment.begin;)
    if (layout.runsBackward(node)) slice.runBackward(node);
}

void runNodes(StepSlice& slice, const PlanLayout& layout, const Piece& piece) {
  if (piece.forward) runForward(slice, *piece.forward);
  if (piece.backward) runBackward(slice, layout, *piece.backward);
}

// Misuse is the caller's, not a rank's.
template <class Run>
void namingRank(int rank, const Run& run) {
  try {
    run();
  } catch (const InvalidArgument&) {
    throw;
  } catch (const RankFailure&) {
    throw;
  } catch (const std::exception& exception) {
    throw RankFailure(rank, exception.what());
  }
}

}  // namespace

// Slices that run side by side each keep to one worker; a lone one may use all of them. Grouping,
// and sorting the ids of the next batch, need ids alone, so they run along with the first slices;
// complete gradients are added up over memory spaces along with the slices of the backward pass.
//
// What has a stream of its own is asked first, and works while the host does the rest; its slices
// go there one after the other.
Status StepPlan::State::runSlices(const StepView& step, const Piece& piece, const StepInput* next) {
  const bool groups = step.trains && piece.forward && piece.forward->begin == 0;
  const auto tables = static_cast<std::int64_t>(spaces[0]->tables.size());
  const std::int64_t grouped = groups ? tables * static_cast<std::int64_t>(spaces.size()) : 0;
  const std::int64_t routed = grouped + (groups && next ? routeCount() : 0);
  const std::int64_t complete = completeFrom();
  const std::int64_t beside = routed + (complete < addedFrom ? 1 : 0);
  Workers* const outside = workersFor(step.batch.rows);
  Status added;
  const auto doBeside = [&](std::int64_t block) {
    if (block < grouped)
      spaces[static_cast<std::size_t>(block / tables)]->groupTable(
          static_cast<std::size_t>(block % tables), now);
    else if (block < routed)
      route(1 - now, block - grouped);
    else
      added = addDense(complete, nullptr);
  };
  const std::int64_t slices = sliceBegins.back();
  if (!spaces[0]->device.isHost()) {
    const auto count = static_cast<std::int64_t>(spaces.size());
    runBlocks(outside, count + beside, [&](std::int64_t block) {
      if (block < count)
        runSpace(static_cast<std::size_t>(block), piece);
      else
        doBeside(block - count);
    });
  } else if (slices == 1) {
    runBlocks(outside, beside, doBeside);
    runSlice(0, piece, outside, nullptr);
  } else {
    runBlocks(outside, beside + slices, [&](std::int64_t block) {
      if (block < beside)
        doBeside(block);
      else
        runSlice(block - beside, piece, nullptr, nullptr);
    });
  }
  if (piece.backward) passed = piece.backward->begin;
  return added;
}

void StepPlan::State::runSlice(std::int64_t index, const Piece& piece, Workers* inside,
                               tensor::Recording* recording) {
  const auto after = std::ranges::upper_bound(sliceBegins, index);
  const auto of = static_cast<std::size_t>(after - sliceBegins.begin()) - 1;
  SpacePlan& space = *spaces[of];
  const auto slice = static_cast<int>(index - sliceBegins[of]);
  const Stopwatch clock;
  StepSlice part = space.sliceOf(views[of], slice, inside, recording);
  namingRank(space.space.firstRank + slice / space.layout.slicesPerRank,
             [&] { runNodes(part, space.layout, piece); });
  space.secondsOfSlice[at(slice)] += clock.seconds();
}

void StepPlan::State::runSpace(std::size_t space, const Piece& piece) {
  namingRank(spaces[space]->space.firstRank, [&] {
    spaces[space]->run([&](tensor::Recording* recording) {
      for (std::int64_t slice = sliceBegins[space]; slice < sliceBegins[space + 1]; ++slice)
        runSlice(slice, piece, nullptr, recording);
    });
  });
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
    piece.backward = Segment{segment.ofBatch, begin, end};
    PARAPET_TRY(runSlices(step, piece, next));
    piece.forward.reset();
    end = begin;
  }
  return {};
}

// One node at a time: the next may write on the host what this one's ops read on the device.
void StepPlan::State::runWhole(const Piece& node, Workers* inside) {
  spaces[0]->run([&](tensor::Recording* recording) {
    StepSlice slice = spaces[0]->sliceOfAll(views[0], inside, recording);
    runNodes(slice, layout(), node);
  });
}

Status StepPlan::State::runBatch(const StepView& step, const Segment& segment, Passes passes) {
  const Stopwatch clock;
  Workers* const outside = workersFor(step.batch.rows);
  if (isAlone()) {
    if (passes != Passes::kBackward)
      for (std::size_t node = segment.begin; node < segment.end; ++node)
        runWhole({Segment{segment.ofBatch, node, node + 1}, {}}, outside);
    if (passes != Passes::kForward)
      for (std::size_t node = segment.end; node-- > segment.begin;)
        runWhole({{}, Segment{segment.ofBatch, node, node + 1}}, outside);
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
  for (const auto& space : spaces) {
    space->record(now, step.batch.rows == layout().capacity.batchRows);
    views.push_back(space->view(now, step));
  }
  const std::vector<Segment>& segments = layout().segments;
  const auto run = [&](std::size_t index, Passes passes) -> Status {
    const Segment& segment = segments[index];
    if (segment.ofBatch) return runBatch(step, segment, passes);
    if (passes == Passes::kForward) return runSlices(step, {segment, {}}, next);
    return runBack(step, segment, passes, next);
  };
  for (std::size_t i = 0; i < segments.size(); ++i) {
    // The backward pass begins where the forward pass ends, without an exchange between them.
    const bool turns = step.trains && i + 1 == segments.size();
    PARAPET_TRY(run(i, turns ? Passes::kBoth : Passes::kForward));
  }
  for (std::size_t i = segments.size() - 1; step.trains && i-- > 0;)
    PARAPET_TRY(run(i, Passes::kBackward));
  return {};
}

}  // namespace parapet::nn

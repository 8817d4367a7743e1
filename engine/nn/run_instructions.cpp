// SPDX-License-Identifier: Apache-2.0
// What StepRunner does for each instruction of a program.
#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/nn/step_runner.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

using Exchange = BeginExchange::Kind;

bool isOfEachSpace(const Instruction& what) {
  return std::holds_alternative<GroupIds>(what) || std::holds_alternative<RouteIds>(what);
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

void runNodes(StepSlice& slice, const Program& program, const RunNodes& nodes) {
  if (nodes.forward)
    for (std::size_t node = nodes.forward->begin; node < nodes.forward->end; ++node)
      slice.runForward(node);
  if (nodes.backward)
    for (std::size_t node = nodes.backward->end; node-- > nodes.backward->begin;)
      if (program.runsBackward(node)) slice.runBackward(node);
}

}  // namespace

Status StepRunner::run(const Lines& lines) {
  for (const Line& line : lines) {
    if (line.isBeside) {
      beside_.push_back({&line.what, spaces_.all[0]->now});
      continue;
    }
    const Stopwatch clock;
    PARAPET_TRY(std::visit([this](const auto& what) { return run(what); }, line.what));
    if (double* const seconds = secondsOf(line)) *seconds += clock.seconds();
  }
  return {};
}

double* StepRunner::secondsOf(const Line& line) {
  const auto* const begun = std::get_if<BeginExchange>(&line.what);
  if (begun && begun->kind == Exchange::kLosses) return nullptr;
  if (begun && begun->kind == Exchange::kMeeting) return &secondsOfBatch_;
  if (begun && (begun->kind == Exchange::kSquares || begun->kind == Exchange::kMeanSquares))
    return &times_.update;
  if (std::holds_alternative<RunBatchNode>(line.what)) return &secondsOfBatch_;
  if (const auto* const update = std::get_if<Update>(&line.what))
    return update->part == Update::Part::kCollect ? &times_.collective : &times_.update;
  const bool moves = begun || std::holds_alternative<MoveRows>(line.what) ||
                     std::holds_alternative<AddSlices>(line.what) ||
                     std::holds_alternative<RouteIds>(line.what);
  return moves ? &times_.collective : nullptr;
}

std::int64_t StepRunner::besideBlocks() const {
  std::int64_t ofSpaces = 0, exchanges = 0;
  for (const Beside& beside : beside_) (isOfEachSpace(*beside.what) ? ofSpaces : exchanges) += 1;
  return ofSpaces * std::ssize(spaces_.all) + (exchanges > 0 ? 1 : 0);
}

void StepRunner::runBeside(std::int64_t block) {
  const std::int64_t spaces = std::ssize(spaces_.all);
  std::int64_t begin = 0;
  for (const auto& [what, stage] : beside_) {
    if (!isOfEachSpace(*what)) continue;
    if (block < begin + spaces) {
      Space& space = *spaces_.all[static_cast<std::size_t>(block - begin)];
      if (const auto* const group = std::get_if<GroupIds>(what)) return runIn(space, stage, *group);
      return runIn(space, stage, std::get<RouteIds>(*what));
    }
    begin += spaces;
  }
  for (const auto& [what, stage] : beside_) {
    if (isOfEachSpace(*what) || !besideDone_.ok()) continue;
    if (const auto* const slices = std::get_if<AddSlices>(what))
      forSpaces(nullptr, [&](Space& space, Workers*) {
        space.addSlices(slices->begin, slices->end, {&space.device, nullptr});
      });
    else
      besideDone_ = run(std::get<BeginExchange>(*what));
  }
}

Status StepRunner::flush() {
  if (beside_.empty()) return {};
  besideDone_ = {};
  const bool routes = std::holds_alternative<RouteIds>(*beside_[0].what);
  runBlocks(routes ? workersOfExchange() : workersOfStep(), besideBlocks(),
            [this](std::int64_t block) { runBeside(block); });
  beside_.clear();
  return besideDone_;
}

Status StepRunner::run(const PrepareNext&) {
  if (!next_) return {};
  const std::size_t stage = 1 - spaces_.all[0]->now;
  for (const Line& line : lists().prepare)
    if (line.isBeside)
      beside_.push_back({&line.what, stage});
    else
      for (const auto& space : spaces_.all) runIn(*space, stage, std::get<PrepareIds>(line.what));
  return {};
}

Status StepRunner::run(const MoveRows& of) {
  ShardedStack& stack = spaces_.stacks[of.stack];
  const auto use = lists().trains() ? RowCache::Use::kTrains : RowCache::Use::kReads;
  forSpaces(workersOfExchange(), [&](Space& space, Workers*) {
    if (of.pass == Pass::kForward)
      stack.gatherRows(parameters_, space.index, use);
    else
      space.mergeGradients(stack);
  });
  return {};
}

// Slices that run side by side each keep to one worker; a lone one may use all of them. What stands
// beside them runs along.
//
// What has a stream of its own is asked first, and works while the host does the rest; its slices
// go there one after the other.
Status StepRunner::run(const RunNodes& nodes) {
  const std::int64_t beside = besideBlocks(), slices = sliceBegins_.back();
  Workers* const outside = workersOfStep();
  besideDone_ = {};
  if (!spaces_.all[0]->device.isHost()) {
    const std::int64_t spaces = std::ssize(spaces_.all);
    runBlocks(outside, spaces + beside, [&](std::int64_t block) {
      if (block >= spaces) return runBeside(block - spaces);
      const auto of = static_cast<std::size_t>(block);
      namingRank(spaces_.all[of]->ranks.firstRank, [&] {
        spaces_.all[of]->run([&](tensor::Recording* recording) {
          for (std::int64_t slice = sliceBegins_[of]; slice < sliceBegins_[of + 1]; ++slice)
            runSlice(slice, nodes, nullptr, recording);
        });
      });
    });
  } else if (slices == 1) {
    runBlocks(outside, beside, [this](std::int64_t block) { runBeside(block); });
    runSlice(0, nodes, outside, nullptr);
  } else {
    runBlocks(outside, beside + slices, [&](std::int64_t block) {
      if (block < beside)
        runBeside(block);
      else
        runSlice(block - beside, nodes, nullptr, nullptr);
    });
  }
  beside_.clear();
  return besideDone_;
}

void StepRunner::runSlice(std::int64_t index, const RunNodes& nodes, Workers* inside,
                          tensor::Recording* recording) {
  const auto after = std::ranges::upper_bound(sliceBegins_, index);
  const auto of = static_cast<std::size_t>(after - sliceBegins_.begin()) - 1;
  Space& space = *spaces_.all[of];
  const auto slice = static_cast<int>(index - sliceBegins_[of]);
  const Stopwatch clock;
  StepSlice part(space, counts_, slice, inside, recording);
  namingRank(space.ranks.firstRank + slice / space.program.slicesPerRank,
             [&] { runNodes(part, space.program, nodes); });
  space.secondsOfSlice[at(slice)] += clock.seconds();
}

// One node at a time: the next may write on the host what this one's ops read on the device.
Status StepRunner::run(const RunBatchNode& of) {
  Workers* const outside = workersOfStep();
  if (of.rounds == 0) {
    Space& space = *spaces_.all[0];
    space.run([&](tensor::Recording* recording) {
      StepSlice slice(space, counts_, space.program.slices(), outside, recording);
      if (of.pass == Pass::kForward)
        slice.runForward(of.node);
      else
        slice.runBackward(of.node);
    });
    return {};
  }
  if (of.round == 0) {
    slices_.clear();
    for (const auto& space : spaces_.all)
      slices_.emplace_back(*space, counts_, space->program.slices(), nullptr)
          .begin(of.node, of.pass);
  }
  isLastRound_ = of.round + 1 == of.rounds;
  const BatchNode& node = *lists().nodes[of.node]->asBatchNode();
  forSpaces(outside, [&](const Space& space, Workers*) {
    meetings_[space.local] = node.round(slices_[space.local], of.pass, of.round);
  });
  return {};
}

Status StepRunner::run(const AddSlices& of) {
  PARAPET_TRY(flush());
  forSpaces(&workers_, [&](Space& space, Workers* inside) {
    space.run([&](tensor::Recording* recording) {
      const tensor::Launch launch{&space.device, inside, tensor::Precision::kFp32, recording};
      space.addSlices(of.begin, of.end, launch);
      if (of.isLast) space.addLookups(launch);
    });
  });
  return {};
}

Status StepRunner::run(const BeginExchange& of) {
  using mesh::ElementType, mesh::Memory;
  switch (of.kind) {
    case Exchange::kBarrier:
      return communicator_.barrier();
    case Exchange::kIds:
      return spaces_.stacks[of.of].sendIds(*betweenSpaces_);
    case Exchange::kRows:
      return spaces_.stacks[of.of].sendRows(*betweenSpaces_, workersOfExchange());
    case Exchange::kRowGradients:
      return spaces_.stacks[of.of].sendGradients(*betweenSpaces_, workersOfExchange());
    case Exchange::kMeeting:
      return meet();
    case Exchange::kGradients:
      return sumOverSpaces(of.count, ElementType::kF32, Memory::kDevice,
                           [&](Space& space) { return space.gradients.data() + of.begin; });
    case Exchange::kSquares:
      return sumOverSpaces(spaces_.all[0]->updates.squares().size(), ElementType::kF64,
                           Memory::kDevice,
                           [](Space& space) { return space.updates.squares().data(); });
    case Exchange::kMeanSquares:
      return sumOverSpaces(
          static_cast<std::int64_t>(spaces_.all[0]->updates.meanSquares(of.of).size()),
          ElementType::kF32, Memory::kDevice,
          [&](Space& space) { return space.updates.meanSquares(of.of).data(); });
    case Exchange::kLosses:
      return sumOverSpaces(
          static_cast<std::int64_t>(sumsOfSpace()), ElementType::kF64, Memory::kHost,
          [this](Space& space) { return sums_.data() + space.local * sumsOfSpace(); });
  }
  return {};
}

// What all spaces have asked for in their last round; the node ends after the last of its exchanges.
Status StepRunner::meet() {
  const Meeting& asked = meetings_[0];
  const std::vector<std::int64_t>& begins = counts_.rowBegins[kExamples];
  for (std::size_t local = 0; local < meetings_.size(); ++local) {
    in_[local] = meetings_[local].in;
    out_[local] = meetings_[local].out;
  }
  for (std::size_t space = 0; space < elements_.size(); ++space)
    elements_[space] = (begins[space + 1] - begins[space]) * asked.width;
  switch (asked.kind) {
    case Meeting::Kind::kNone:
      break;
    case Meeting::Kind::kSum:
      PARAPET_TRY(betweenSpaces_->allReduce(out_, asked.width, asked.type, asked.memory));
      break;
    case Meeting::Kind::kGather:
      PARAPET_TRY(betweenSpaces_->allGather(in_, out_, elements_, asked.type, asked.memory));
      break;
    case Meeting::Kind::kScatter:
      PARAPET_TRY(betweenSpaces_->reduceScatter(in_, out_, elements_, asked.type, asked.memory));
      break;
  }
  if (isLastRound_)
    forSpaces(workersOfStep(),
              [this](const Space& space, Workers*) { slices_[space.local].end(); });
  return {};
}

Status StepRunner::run(const Update& of) {
  PARAPET_TRY(flush());
  // Where no part has an example that counts, all sums are 0.
  const auto scale = denominators_ > 0.0 ? static_cast<float>(1.0 / denominators_) : 0.0f;
  forSpaces(workersOfStep(), [&](Space& space, Workers* inside) {
    const tensor::Launch launch{&space.device, inside};
    switch (of.part) {
      case Update::Part::kCollect:
        return space.collectUpdates();
      case Update::Part::kAddBatch:
        return part_.isLast ? space.takeSums(launch, scale) : space.addToSums(launch);
      case Update::Part::kMeasureSquares:
        return space.updates.measureSquares(launch);
      case Update::Part::kClip:
        return space.updates.clip(launch);
      case Update::Part::kMeasureMeanSquares:
        return space.updates.measureMeanSquares(launch);
      case Update::Part::kApply:
        space.run([&](tensor::Recording* recording) {
          space.updates.apply({&space.device, space.device.isHost() ? inside : nullptr,
                               tensor::Precision::kFp32, recording},
                              step_, space.nonFinite());
        });
    }
  });
  if (of.part == Update::Part::kAddBatch) {
    partsDone_ = part_.isLast ? 0 : partsDone_ + 1;
    if (part_.isLast) denominators_ = 0.0;
  }
  return {};
}

Status StepRunner::run(const ReadBack&) {
  const Stopwatch clock;
  for (const auto& space : spaces_.all) {
    space->readBack(counts_.rowBegins);
    addTimes(*space, clock.seconds());
    double* out = sums_.data() + space->local * sumsOfSpace();
    for (std::size_t loss = 0; loss < counts_.losses.size(); ++loss) {
      double* const of = out + kSumsOfSpace * loss;
      of[0] = space->sumOf(loss, 0);
      of[1] = static_cast<double>(space->negatives[loss].masked);
      of[2] = space->negatives[loss].equalScores;
      of[3] = space->sumOf(loss, 1);
    }
    out += flagOfSums();
    *out++ = space->keptWeightsFinite() ? 0.0 : 1.0;
    for (const LookupRows& lookup : space->stage().lookups)
      out = std::ranges::copy(lookup.counts().numbers(), out).out;
  }
  return {};
}

// What a device with a stream has been asked for it works on until it is read back, `seconds` after
// all spaces had been asked: that is its time, not that of the host, which has asked. Its ranks take
// turns. Slices of a rank that several workers share go on side by side.
void StepRunner::addTimes(const Space& space, double seconds) {
  times_.pieces += space.pieces;
  times_.replayed += space.replayed;
  const int perRank = space.program.slicesPerRank;
  const double sideBySide = std::min(perRank, workers_.count());
  for (int rank = 0; rank < space.ranks.ranks; ++rank) {
    double& compute = times_.computeOfRank[at(space.ranks.firstRank + rank)];
    if (!space.device.isHost()) compute += seconds / space.ranks.ranks;
    for (int slice = rank * perRank; slice < (rank + 1) * perRank; ++slice)
      compute += space.secondsOfSlice[at(slice)] / sideBySide;
  }
}

}  // namespace parapet::nn

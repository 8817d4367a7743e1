// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/nn/plan_parts.h"

namespace parapet::nn {
namespace {

/// A cache holds the rows of one step, which it is told before.
void requireCacheable(const Graph& graph, ParameterIndex of, const Parameter& parameter,
                      const mesh::DeviceMesh& mesh, PlanPurpose purpose, int batchesPerStep) {
  const auto isCached = [](const ParameterShard& shard) { return shard.cache != nullptr; };
  if (std::ranges::none_of(parameter.shards, isCached)) return;
  const char* what = nullptr;
  if (graph.readsWhole(of)) what = "is read as a whole";
  if (mesh.spaces().size() > 1 && parameter.sharding.isReplicated()) what = "is replicated";
  const bool trains = purpose == PlanPurpose::kTrain && parameter.spec.trainable;
  if (trains && experiment::movesEveryRow(parameter.spec.optimizer))
    what = "has an optimizer that moves every row";
  if (trains && batchesPerStep > 1) what = "adds up gradients of several batches";
  if (what)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} {}, and it is cached", parameter.spec.name, what));
}

std::vector<bool> splitParameters(const Graph& graph, std::span<const Parameter> parameters,
                                  const mesh::DeviceMesh& mesh, std::int64_t batchRows,
                                  const std::vector<std::int64_t>& idsPerRow, PlanPurpose purpose,
                                  int batchesPerStep) {
  std::vector<bool> replicated;
  for (ParameterIndex of = 0; of < static_cast<ParameterIndex>(parameters.size()); ++of) {
    const Parameter& parameter = parameters[at(of)];
    requireCacheable(graph, of, parameter, mesh, purpose, batchesPerStep);
    replicated.push_back(parameter.sharding.isReplicated());
    if (replicated.back()) continue;
    if (graph.readsWhole(of))
      throw InvalidArgument(fmt::format(
          "[nn.StepPlan] {} is read as a whole, and it is sharded; a replicated table is accepted",
          parameter.spec.name));
    if (mesh.spaces().size() == 1)
      throw InvalidArgument(fmt::format(
          "[nn.StepPlan] {} is split in one memory; mesh::heldSharding() says what one holds",
          parameter.spec.name));
  }
  return exchangedTables(graph, mesh, batchRows, idsPerRow, purpose, replicated);
}

}  // namespace

StepPlan::State::State(const Graph& g, std::span<Parameter> p, const mesh::DeviceMesh& m,
                       mesh::Communicator& c, Workers& w, const std::vector<Value>& targets,
                       std::int64_t capacityRows, PlanPurpose planPurpose,
                       const std::vector<std::int64_t>& idsPerRow, int stepBatches)
    : graph(g),
      parameters(p),
      mesh(m),
      communicator(c),
      workers(w),
      purpose(planPurpose),
      batchesPerStep(stepBatches) {
  if (capacityRows < 1)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] capacity {}; at least 1 row is accepted", capacityRows));
  if (communicator.ranks() != mesh.ranks())
    throw InvalidArgument(fmt::format("[nn.StepPlan] a communicator of {} ranks; the mesh has {}",
                                      communicator.ranks(), mesh.ranks()));
  const std::size_t count = mesh.spaces().size();
  const std::vector<bool> split =
      splitParameters(graph, parameters, mesh, capacityRows, idsPerRow, purpose, batchesPerStep);
  for (int space = 0; space < static_cast<int>(count); ++space)
    spaces.push_back(std::make_unique<SpacePlan>(
        graph, parameters, mesh, space, targets,
        spaceCapacity(mesh, space, capacityRows, idsPerRow, split, batchesPerStep), purpose));
  for (const auto& space : spaces)
    sliceBegins.push_back(sliceBegins.back() + space->layout.slices());
  members.resize(graph.lookups().size());
  counts.resize(graph.lookups().size());
  losses.resize(graph.losses().size());
  lossScales.resize(graph.losses().size());
  rankOffsets.resize(static_cast<std::size_t>(mesh.ranks()) + 1);
  rowBegins.assign(graph.rowSpaces().size(), std::vector<std::int64_t>(count + 1));
  views.reserve(count);
  sliceOfSpace.reserve(count);
  meetings.resize(count);
  times.computeOfRank.resize(static_cast<std::size_t>(mesh.ranks()));
  // The last one is the flag of the weights.
  sums.resize(count * (kSumsOfSpace * losses.size() + 1));
  if (isAlone() && spaces[0]->device.isHost()) return;
  buffersOfSpace.resize(count);
  inOfSpace.resize(count);
  if (count > 1) connectSpaces();
  countsOfSpace.resize(count);
  outputs.resize(at(graph.values()));
  for (const Value target : targets)
    outputs[at(target)].resize(
        static_cast<std::size_t>(outputElements(graph, target, capacityRows)));
}

// Ranks that share a memory are one where memories meet.
void StepPlan::State::connectSpaces() {
  std::vector<int> firstRanks;
  for (const mesh::SpaceRanks& space : mesh.spaces()) firstRanks.push_back(space.firstRank);
  auto group = communicator.group(firstRanks);
  if (group)
    betweenSpaces = std::move(group).value();
  else
    broken = group.error();
}

void StepPlan::State::addStage() {
  for (const auto& space : spaces) space->addStage();
}

void StepPlan::State::stackTables(const Exchange& exchange) {
  const PlanLayout& plan = layout();
  std::vector<mesh::Sharding> shardings;
  for (const Parameter& parameter : parameters) shardings.push_back(parameter.sharding);
  std::vector<StackParts> parts = stackParts(graph, plan, shardings, exchange.stackTables);
  stacks.reserve(parts.size());
  const bool ahead = sortsAhead(exchange.overlap, purpose, parts.size());
  for (StackParts& part : parts) {
    for (std::size_t i = 0; i < part.lookups.size(); ++i)
      members[part.lookups[i]] = {static_cast<int>(stacks.size()), static_cast<int>(i)};
    stacks.emplace_back(graph, plan, parameters, std::move(part.tables), std::move(part.lookups),
                        mesh, ahead ? 2 : 1);
  }
  if (ahead) addStage();
}

void StepPlan::State::requireInput(const StepInput& step) const {
  const std::int64_t capacity = layout().capacity.batchRows;
  const auto rows = static_cast<std::size_t>(step.rows);
  const auto require = [&](bool holds, const char* what, std::size_t found) {
    if (!holds)
      throw InvalidArgument(fmt::format("[nn.StepPlan] {} {} for {} rows", found, what, rows));
  };
  if (step.rows < 0 || step.rows > capacity)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} rows; the plan holds {}", step.rows, capacity));
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (layout().runs[i] && at(graph.lookups()[i].feature) >= step.features.size())
      throw InvalidArgument(fmt::format("[nn.StepPlan] {} features; the graph reads feature {}",
                                        step.features.size(), graph.lookups()[i].feature));
  const bool readsLabels = std::ranges::any_of(graph.losses(), &LossSpec::readsLabels);
  const bool needsLabels = (purpose == PlanPurpose::kTrain && readsLabels) || !step.labels.empty();
  require(!needsLabels || step.labels.size() == rows, "labels", step.labels.size());
  if (step.exampleRows() > step.rows || (step.exampleRows() < step.rows && step.weights.empty()))
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} examples in {} rows; extra negatives need weight 0",
                    step.exampleRows(), step.rows));
  require(step.weights.empty() || step.weights.size() == rows, "weights", step.weights.size());
}

void StepPlan::State::prepareIds(std::size_t stage, const StepInput& input) {
  for (const auto& space : spaces) space->prepare(stage, input);
}

bool StepPlan::State::takeAhead(const StepInput& input) {
  const bool known = batchAhead != 0 && batchAhead == input.batch;
  batchAhead = 0;
  if (!known) return false;
  now = 1 - now;
  for (ShardedStack& stack : stacks) stack.use(now);
  for (const auto& space : spaces) space->stages[now].rows.resume(input);
  return true;
}

void StepPlan::State::prepare(const StepInput& input) {
  const auto examples = static_cast<double>(input.exampleRows());
  double weights = examples;
  if (!input.weights.empty()) {
    weights = 0.0;
    for (const float weight : input.weights) weights += static_cast<double>(weight);
  }
  // Extra negatives are one more list, of which nothing counts.
  const double extra = input.exampleRows() < input.rows ? 1.0 : 0.0;
  const double lists =
      input.lists.empty() ? 0.0 : static_cast<double>(input.lists.size()) - 1.0 - extra;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const LossSpec& loss = graph.losses()[i];
    double denominator = 1.0;
    if (loss.reduction == experiment::Reduction::kWeightedMean) denominator = weights;
    if (loss.reduction == experiment::Reduction::kMean)
      denominator = loss.countsLists ? lists : examples;
    losses[i] = {0.0, denominator, {}};
    lossScales[i] = denominator > 0.0 ? loss.weight / denominator : 0.0;
  }
  for (const auto& space : spaces) space->begin();
  for (int rank = 0; rank < mesh.ranks(); ++rank)
    rankOffsets[at(rank) + 1] =
        static_cast<std::int32_t>(mesh.slice(rank, input.exampleRows()).end);
  for (std::size_t space = 0; space < spaces.size(); ++space)
    rowBegins[kExamples][space + 1] = mesh.slice(mesh.spaces()[space], input.rows).end;
  secondsOfBatch = 0.0;
  times.collective = times.update = 0.0;
}

// The mean over positions is that of the positions. Of selected ones Keras counts the slots: each
// example has as many as it may select, those that it did not with weight 0.
double StepPlan::State::denominatorOverPositions(const LossSpec& loss, double rows) const {
  const RowSpaceSpec& spec = graph.rowSpaces()[at(graph.rowSpace(loss.value))];
  if (spec.positionsOf < 0 || loss.reduction == experiment::Reduction::kWeightedMean) return rows;
  return static_cast<double>(rowBegins[at(kExamples)].back() * spec.maxPerExample);
}

void StepPlan::State::cutRows() {
  for (std::size_t rows = 1; rows < rowBegins.size(); ++rows)
    for (std::size_t space = 0; space < spaces.size(); ++space)
      rowBegins[rows][space + 1] =
          rowBegins[rows][space] + spaces[space]->rowsOf(now, static_cast<RowSpace>(rows));
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const LossSpec& loss = graph.losses()[i];
    const RowSpace rows = graph.rowSpace(loss.value);
    losses[i].rows = static_cast<double>(rowBegins[at(rows)].back());
    if (rows == kExamples || loss.reduction == experiment::Reduction::kSum) continue;
    const double denominator = denominatorOverPositions(loss, losses[i].rows);
    losses[i].denominator = denominator;
    lossScales[i] = denominator > 0.0 ? loss.weight / denominator : 0.0;
  }
}

void StepPlan::State::route(std::size_t stage, std::int64_t index) {
  const auto count = static_cast<std::int64_t>(spaces.size());
  const SpacePlan& space = *spaces[static_cast<std::size_t>(index % count)];
  stacks[static_cast<std::size_t>(index / count)].route(stage, space.index, space.lookups(stage));
}

Status StepPlan::State::fetchRows(const StepInput& input, Routes routes) {
  if (stacks.empty()) return {};
  const Stopwatch clock;
  Workers* const outside = workersForExchange(input.rows);
  const auto routeNow = [&](std::int64_t index) { route(now, index); };
  if (routes == Routes::kMake) runBlocks(outside, routeCount(), routeNow);
  const auto use = purpose == PlanPurpose::kTrain ? RowCache::Use::kTrains : RowCache::Use::kReads;
  for (ShardedStack& stack : stacks)
    PARAPET_TRY(stack.fetch(parameters, *betweenSpaces, use, outside));
  times.collective += clock.seconds();
  return {};
}

StepView StepPlan::State::view(const StepInput& input, std::int64_t step, std::int64_t part) {
  return {input,
          rowBegins,
          lossScales,
          rankOffsets,
          members,
          stacks,
          step > 0,
          Random(input.seed, RandomPurpose::kDropout, static_cast<std::uint64_t>(step))
              .bits64(static_cast<std::uint64_t>(part))};
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/tensor/ops/fill.h"

namespace parapet::nn {
void StepPlan::State::allocate() {
  addStage();
  members.resize(graph.lookups().size());
  for (const TableLayout& table : layout.tables)
    if (!layout.capacity.isSplit(table.table)) tables.emplace_back(table, layout, graph, device);
  // A node that works on the whole batch writes its gradients to the first slice alone.
  tensor::fill({&device, nullptr}, denseGradients.data(), denseGradients.size(), 0.0f);
  for (int slice = 0; slice < layout.slices(); ++slice)
    denseParts.push_back(denseGradients.data() + slice * layout.denseElements);
  const auto slices = static_cast<std::size_t>(layout.slices());
  lossesOfSlice.resize((slices + 1) * graph.losses().size());
  losses.resize(graph.losses().size());
  lossScales.resize(graph.losses().size());
  negatives.resize(graph.losses().size());
  rankOffsets.resize(static_cast<std::size_t>(mesh.ranks()) + 1);
  secondsOfSlice.resize(slices);
  times.computeOfRank.resize(static_cast<std::size_t>(mesh.ranks()));
  stackGradients.reserve(graph.lookups().size());
}

void StepPlan::State::addStage() {
  std::vector<LookupRows>& stage = stages.emplace_back();
  stage.reserve(graph.lookups().size());
  for (const Lookup& lookup : graph.lookups()) stage.emplace_back(layout, lookup, device, purpose);
}

// Tables with the same sharding share an exchange; their optimizers may differ, since each updates
// its own rows of what comes back.
void StepPlan::State::stackTables(const Exchange& exchange) {
  std::vector<std::vector<ParameterIndex>> groups;
  for (ParameterIndex index = 0; index < static_cast<ParameterIndex>(parameters.size()); ++index) {
    bool isRead = false;
    for (std::size_t i = 0; i < graph.lookups().size(); ++i)
      isRead = isRead || (graph.lookups()[i].table == index && layout.runs[i]);
    if (!layout.capacity.isSplit(index) || !isRead) continue;
    const auto group = std::ranges::find_if(groups, [&](const auto& others) {
      return exchange.stackTables &&
             parameter(others[0]).sharding.hasSameSharding(parameter(index).sharding);
    });
    if (group == groups.end())
      groups.push_back({index});
    else
      group->push_back(index);
  }
  stacks.reserve(groups.size());
  const bool ahead = exchange.overlap && purpose == PlanPurpose::kTrain;
  for (std::vector<ParameterIndex>& group : groups) {
    std::vector<std::size_t> ofStack;
    for (std::size_t i = 0; i < graph.lookups().size(); ++i) {
      if (!layout.runs[i] || std::ranges::count(group, graph.lookups()[i].table) == 0) continue;
      members[i] = {static_cast<int>(stacks.size()), static_cast<int>(ofStack.size())};
      ofStack.push_back(i);
    }
    stacks.emplace_back(graph, layout, parameters, std::move(group), std::move(ofStack), mesh,
                        ahead ? 2 : 1);
  }
  if (ahead && !stacks.empty()) addStage();
}

void StepPlan::State::requireInput(const StepInput& step) const {
  const auto rows = static_cast<std::size_t>(step.rows);
  const auto require = [&](bool holds, const char* what, std::size_t found) {
    if (!holds)
      throw InvalidArgument(fmt::format("[nn.StepPlan] {} {} for {} rows", found, what, rows));
  };
  if (step.rows < 0 || step.rows > layout.capacity.rows)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} rows; the plan holds {}", step.rows, layout.capacity.rows));
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (layout.runs[i] && at(graph.lookups()[i].feature) >= step.features.size())
      throw InvalidArgument(fmt::format("[nn.StepPlan] {} features; the graph reads feature {}",
                                        step.features.size(), graph.lookups()[i].feature));
  const bool needsLabels = purpose == PlanPurpose::kTrain || !step.labels.empty();
  require(!needsLabels || step.labels.size() == rows, "labels", step.labels.size());
  if (step.exampleRows() > step.rows || (step.exampleRows() < step.rows && step.weights.empty()))
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} examples in {} rows; extra negatives need weight 0",
                    step.exampleRows(), step.rows));
  require(step.weights.empty() || step.weights.size() == rows, "weights", step.weights.size());
}

void StepPlan::State::prepareIds(std::size_t stage, const StepInput& input) {
  for (std::size_t i = 0; i < stages[stage].size(); ++i)
    if (layout.runs[i])
      stages[stage][i].prepare({&device, nullptr}, input.features[at(graph.lookups()[i].feature)],
                               input.rows);
}

bool StepPlan::State::takeAhead(const StepInput& input) {
  const bool known = batchAhead != 0 && batchAhead == input.batch;
  batchAhead = 0;
  if (!known) return false;
  now = 1 - now;
  for (ShardedStack& stack : stacks) stack.use(now);
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
    losses[i] = {0.0, denominator > 0.0 ? denominator : 1.0, {}};
    lossScales[i] = loss.weight / losses[i].denominator;
  }
  std::ranges::fill(lossesOfSlice, 0.0);
  std::ranges::fill(secondsOfSlice, 0.0);
  std::ranges::fill(negatives, NegativesSums{});
  for (int rank = 0; rank < mesh.ranks(); ++rank)
    rankOffsets[at(rank) + 1] =
        static_cast<std::int32_t>(mesh.slice(rank, input.exampleRows()).end);
  secondsOfBatch = 0.0;
  times.collective = times.update = 0.0;
}

void StepPlan::State::route(std::size_t stage, std::int64_t index, const StepInput& input) {
  const auto rank = static_cast<int>(index % mesh.ranks());
  stacks[static_cast<std::size_t>(index / mesh.ranks())].route(
      stage, rank, mesh.slice(rank, input.rows), stages[stage]);
}

Status StepPlan::State::fetchRows(const StepInput& input, bool routed) {
  if (stacks.empty()) return {};
  const Stopwatch clock;
  Workers* const outside = workersForExchange(input.rows);
  const auto routeNow = [&](std::int64_t index) { route(now, index, input); };
  const std::int64_t routes = routed ? 0 : routeCount();
  runBlocks(outside, routes, routeNow);
  for (ShardedStack& stack : stacks)
    PARAPET_TRY(stack.fetch({&device, outside}, parameters, communicator, outside));
  times.collective += clock.seconds();
  return {};
}

PlanView StepPlan::State::view(const StepInput& input, std::int64_t step) {
  return {graph,
          layout,
          parameters,
          buffers,
          lookups(),
          members,
          stacks,
          lossScales,
          negatives,
          rankOffsets,
          input,
          purpose == PlanPurpose::kTrain,
          Random(input.seed, RandomPurpose::kDropout, static_cast<std::uint64_t>(step)).bits64(0)};
}

}  // namespace parapet::nn

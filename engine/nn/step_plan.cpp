// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/nn/parameter_updates.h"
#include "engine/nn/sharded_stack.h"
#include "engine/nn/slice_context.h"
#include "engine/nn/table_update.h"
#include "engine/tensor/ops/fill.h"
#include "engine/tensor/ops/sum_parts.h"

namespace parapet::nn {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Below so many multiplications and additions of a batch a second worker costs more to wake than it
// saves.
constexpr double kWorthWaking = 1e6;

PlanCapacity capacityOf(std::span<const Parameter> parameters, const mesh::DeviceMesh& mesh,
                        std::int64_t rows, std::vector<std::int64_t> idsPerRow) {
  if (rows < 1)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] capacity {}; at least 1 row is accepted", rows));
  PlanCapacity capacity{rows, mesh.ranks(), std::move(idsPerRow), {}};
  for (const Parameter& parameter : parameters)
    capacity.split.push_back(!parameter.sharding.isReplicated());
  return capacity;
}

/// Tables that can be looked up together.
bool alike(const Parameter& a, const Parameter& b) {
  if (a.sharding.placement() != b.sharding.placement() || a.sharding.cols() != b.sharding.cols() ||
      a.sharding.shards() != b.sharding.shards())
    return false;
  for (int shard = 0; shard < a.sharding.shards(); ++shard)
    if (a.sharding.holders(shard) != b.sharding.holders(shard)) return false;
  return true;
}

}  // namespace

struct StepPlan::State {
  const Graph& graph;
  std::span<Parameter> parameters;
  const mesh::DeviceMesh& mesh;
  mesh::Communicator& communicator;
  Workers& workers;
  const PlanPurpose purpose;
  const PlanLayout layout;
  const tensor::Device& device;
  PlanBuffers buffers;
  /// Prepared ids by lookup: of this step, and where sharded tables want it of the next.
  std::vector<std::vector<LookupRows>> stages{};
  std::size_t now = 0;                ///< stage of this step
  std::int64_t batchAhead = 0;        ///< of the other stage; 0: none
  std::vector<LookupPlace> places{};  ///< by lookup
  std::vector<ShardedStack> stacks{};
  std::vector<TableUpdate> tables{};  ///< of tables in one piece
  ParameterUpdates updates;
  tensor::Buffer<float> denseGradients;  ///< of each slice, one after the other
  std::vector<const float*> denseParts{};
  std::vector<double> lossesOfSlice{};  ///< [slice][loss], and of the batch as a whole at the end
  std::vector<LossSums> losses{};
  std::vector<double> lossScales{};
  std::vector<const float*> stackGradients{};  ///< scratch of sendGradients
  std::vector<double> secondsOfSlice{};
  StepTimes times{};
  double workPerRow = 1.0;

  State(const Graph& g, std::span<Parameter> p, const mesh::DeviceMesh& m, mesh::Communicator& c,
        Workers& w, const std::vector<Value>& targets, PlanCapacity capacity,
        PlanPurpose planPurpose)
      : graph(g),
        parameters(p),
        mesh(m),
        communicator(c),
        workers(w),
        purpose(planPurpose),
        layout(g, targets, planPurpose, std::move(capacity)),
        device(m.device(0)),
        buffers(g, layout, device),
        updates(g, layout, p, device),
        denseGradients(device, layout.slices() * layout.denseNumbers) {
    allocate();
  }

  void allocate();
  void addStage();
  void stackTables(const Exchange& exchange);
  void requireInput(const StepInput& step) const;
  [[nodiscard]] std::vector<LookupRows>& lookups() { return stages[now]; }
  void prepare(const StepInput& input);
  void prepareIds(std::size_t stage, const StepInput& input);
  /// Whether the ids of this batch were sorted during the last step.
  bool takeAhead(const StepInput& input);
  [[nodiscard]] std::int64_t routeCount() const {
    return static_cast<std::int64_t>(stacks.size()) * mesh.ranks();
  }
  void route(std::size_t stage, std::int64_t index, const StepInput& input);
  Status fetchRows(const StepInput& input, bool routed);
  [[nodiscard]] SliceRows sliceRows(int slice, std::int64_t rows) const;
  SliceContext contextOf(const PlanView& plan, int slice, Workers* inside);
  SliceContext contextOfBatch(const PlanView& plan);
  void runSegments(const PlanView& plan, const StepInput* next);
  template <class Body>
  void runSlices(const PlanView& plan, bool first, const StepInput* next, const Body& body);
  void addUp();
  Status reduceAndUpdate(const StepInput& input, std::int64_t step);
  void addTable(std::size_t table);
  Status addStacks(const StepInput& input);
  void addDense();
  [[nodiscard]] PlanView view(const StepInput& input, std::int64_t step);
  /// Workers for a step, or null where the calling thread is faster alone.
  Workers* workersFor(std::int64_t rows) {
    return static_cast<double>(rows) * workPerRow >= kWorthWaking ? &workers : nullptr;
  }
  /// The same for moving rows and gradients of sharded tables, where numbers are copied and added.
  Workers* workersForExchange(std::int64_t rows) {
    std::int64_t numbers = 0;
    for (const ShardedStack& stack : stacks) numbers += rows * stack.numbersPerRow();
    return numbers >= kNumbersWorthWaking ? &workers : nullptr;
  }
  Parameter& parameter(ParameterIndex index) { return parameters[at(index)]; }
};

void StepPlan::State::allocate() {
  const bool trains = purpose == PlanPurpose::kTrain;
  // A backward pass costs about twice a forward pass.
  workPerRow = std::max(1.0, graph.flopsPerRow() * (trains ? 3.0 : 1.0));
  addStage();
  places.resize(graph.lookups().size());
  for (const TableLayout& table : layout.tables)
    if (!layout.capacity.isSplit(table.table)) tables.emplace_back(table, layout, graph, device);
  // A node that works on the whole batch writes its gradients to the first slice alone.
  tensor::fill({&device, nullptr}, denseGradients.data(), denseGradients.size(), 0.0f);
  for (int slice = 0; slice < layout.slices(); ++slice)
    denseParts.push_back(denseGradients.data() + slice * layout.denseNumbers);
  const auto slices = static_cast<std::size_t>(layout.slices());
  lossesOfSlice.resize((slices + 1) * graph.losses().size());
  losses.resize(graph.losses().size());
  lossScales.resize(graph.losses().size());
  secondsOfSlice.resize(slices);
  times.computeOfRank.resize(static_cast<std::size_t>(mesh.ranks()));
  stackGradients.reserve(graph.lookups().size());
}

void StepPlan::State::addStage() {
  std::vector<LookupRows>& stage = stages.emplace_back();
  stage.reserve(graph.lookups().size());
  for (const Lookup& lookup : graph.lookups())
    stage.emplace_back(layout, lookup, device, purpose == PlanPurpose::kTrain);
}

// Sharded tables that lie alike share an exchange; their optimizers may differ, since each updates
// its own rows of what comes back.
void StepPlan::State::stackTables(const Exchange& exchange) {
  std::vector<std::vector<ParameterIndex>> groups;
  for (ParameterIndex index = 0; index < static_cast<ParameterIndex>(parameters.size()); ++index) {
    bool isRead = false;
    for (std::size_t i = 0; i < graph.lookups().size(); ++i)
      isRead = isRead || (graph.lookups()[i].table == index && layout.runs[i]);
    if (!layout.capacity.isSplit(index) || !isRead) continue;
    const auto group = std::ranges::find_if(groups, [&](const auto& others) {
      return exchange.stackTables && alike(parameter(others[0]), parameter(index));
    });
    if (group == groups.end())
      groups.push_back({index});
    else
      group->push_back(index);
  }
  stacks.reserve(groups.size());
  const bool ahead = exchange.overlap && purpose == PlanPurpose::kTrain;
  for (std::vector<ParameterIndex>& group : groups) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < graph.lookups().size(); ++i) {
      if (!layout.runs[i] || std::ranges::count(group, graph.lookups()[i].table) == 0) continue;
      places[i] = {static_cast<int>(stacks.size()), static_cast<int>(members.size())};
      members.push_back(i);
    }
    stacks.emplace_back(graph, layout, parameters, std::move(group), std::move(members), mesh,
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
  double weights = static_cast<double>(input.rows);
  if (!input.weights.empty()) {
    weights = 0.0;
    for (const float weight : input.weights) weights += static_cast<double>(weight);
  }
  const double lists = input.lists.empty() ? 0.0 : static_cast<double>(input.lists.size()) - 1.0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const LossSpec& loss = graph.losses()[i];
    double denominator = 1.0;
    if (loss.reduction == experiment::Reduction::kWeightedMean) denominator = weights;
    if (loss.reduction == experiment::Reduction::kMean)
      denominator = loss.countsLists ? lists : static_cast<double>(input.rows);
    losses[i] = {0.0, denominator > 0.0 ? denominator : 1.0};
    lossScales[i] = loss.weight / losses[i].denominator;
  }
  std::ranges::fill(lossesOfSlice, 0.0);
  std::ranges::fill(secondsOfSlice, 0.0);
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
  if (outside)
    outside->parallelFor(routes, routeNow);
  else
    for (std::int64_t index = 0; index < routes; ++index) routeNow(index);
  for (ShardedStack& stack : stacks)
    PARAPET_TRY(stack.fetch({&device, outside}, parameters, communicator, outside));
  times.collective += clock.seconds();
  return {};
}

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
      layout.denseNumbers > 0 ? denseGradients.data() + slice * layout.denseNumbers : nullptr;
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
          layout.denseNumbers > 0 ? denseGradients.data() : nullptr,
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
  if (outside)
    outside->parallelFor(blocks, task);
  else
    for (std::int64_t block = 0; block < blocks; ++block) task(block);
  if (alone) runSlice(0, outside);
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
      SliceContext context = contextOfBatch(plan);
      run(context);
    }
  }
  for (std::size_t i = layout.segments.size() - 1; plan.trains && i-- > 0;) {
    const Segment& segment = layout.segments[i];
    if (segment.scope == NodeScope::kSlice) {
      runSlices(plan, false, nullptr, [&](SliceContext& context) { backward(context, segment); });
    } else {
      SliceContext context = contextOfBatch(plan);
      backward(context, segment);
    }
  }
}

void StepPlan::State::addUp() {
  const std::size_t count = graph.losses().size();
  for (std::size_t slice = 0; slice <= at(layout.slices()); ++slice)
    for (std::size_t loss = 0; loss < count; ++loss)
      losses[loss].numerator += lossesOfSlice[slice * count + loss];
  // Slices of a rank that several workers share go on side by side.
  const double sideBySide = std::min(layout.slicesPerRank, workers.count());
  std::ranges::fill(times.computeOfRank, 0.0);
  for (std::size_t slice = 0; slice < secondsOfSlice.size(); ++slice)
    times.computeOfRank[slice / at(layout.slicesPerRank)] += secondsOfSlice[slice] / sideBySide;
}

void StepPlan::State::addTable(std::size_t index) {
  const TableUpdate& table = tables[index];
  const TableLayout& of = table.layout();
  Parameter& updated = parameter(of.table);
  if (!of.factored) {
    const Value first = graph.lookups()[of.lookups[0]].output;
    updates.add(updated, 0, table.target(updated, {buffers.gradient(first, 0)}, nullptr));
    return;
  }
  // The rows as the forward pass read them: their copy, or the table if there is none, which then
  // is not updated before it has been read.
  const FactoredGradient& factored = *of.factored;
  tensor::PickedRows rows{buffers.value(factored.rows, 0)};
  for (std::size_t i = 0; !rows.data && i < lookups().size(); ++i)
    if (graph.lookups()[i].output == factored.rows) {
      const Parameter& read = parameter(graph.lookups()[i].table);
      rows = {read.whole().weight.data(), lookups()[i].ids().data(), read.spec.rows};
    }
  updates.add(updated, 0, table.target(updated, rows, buffers.gradient(factored.scale, 0)));
}

Status StepPlan::State::addStacks(const StepInput& input) {
  Workers* const outside = workersForExchange(input.rows);
  for (ShardedStack& stack : stacks) {
    stackGradients.clear();
    bool any = false;
    for (const std::size_t lookup : stack.lookups()) {
      const Lookup& of = graph.lookups()[lookup];
      const bool trained = parameter(of.table).spec.trainable;
      stackGradients.push_back(trained ? buffers.gradient(of.output, 0) : nullptr);
      any = any || stackGradients.back();
    }
    if (!any) continue;
    PARAPET_TRY(stack.sendGradients({&device, outside}, stackGradients, lookups(), input.rows, mesh,
                                    communicator, outside));
    for (std::size_t table = 0; table < stack.tables().size(); ++table) {
      Parameter& updated = parameter(stack.tables()[table]);
      if (!updated.spec.trainable) continue;
      for (int shard = 0; shard < stack.shards(); ++shard)
        updates.add(updated, shard,
                    stack.target({&device, nullptr}, updated, static_cast<int>(table), shard));
    }
  }
  return {};
}

void StepPlan::State::addDense() {
  if (layout.denseNumbers == 0) return;
  if (denseParts.size() > 1)
    tensor::sumParts({&device, &workers}, denseParts, layout.denseNumbers, denseGradients.data());
  for (std::size_t index = 0; index < layout.denseOffsets.size(); ++index) {
    const std::int64_t offset = layout.denseOffsets[index];
    if (offset < 0) continue;
    Parameter& updated = parameters[index];
    float* const gradient = denseGradients.data() + offset;
    updates.add(updated, 0,
                tensor::everyRow(updated.whole().weight.data(), updated.spec.rows,
                                 updated.spec.cols, gradient),
                gradient);
  }
}

Status StepPlan::State::reduceAndUpdate(const StepInput& input, std::int64_t step) {
  Stopwatch clock;
  PARAPET_TRY(communicator.barrier());
  updates.clear();
  for (std::size_t table = 0; table < tables.size(); ++table) addTable(table);
  PARAPET_TRY(addStacks(input));
  addDense();
  times.collective += clock.seconds();
  clock.restart();
  updates.apply(device, workersFor(input.rows), step);
  times.update = clock.seconds();
  return {};
}

PlanView StepPlan::State::view(const StepInput& input, std::int64_t step) {
  return {graph,
          layout,
          parameters,
          buffers,
          lookups(),
          places,
          stacks,
          lossScales,
          input,
          purpose == PlanPurpose::kTrain,
          Random(input.seed, RandomPurpose::kDropout, static_cast<std::uint64_t>(step)).bits64(0)};
}

StepPlan::StepPlan(const Graph& graph, std::span<Parameter> parameters,
                   const mesh::DeviceMesh& mesh, mesh::Communicator& communicator, Workers& workers,
                   std::vector<Value> targets, std::int64_t capacityRows, PlanPurpose purpose,
                   std::vector<std::int64_t> idsPerRow, const Exchange& exchange)
    : state_(new State(graph, parameters, mesh, communicator, workers, targets,
                       capacityOf(parameters, mesh, capacityRows, std::move(idsPerRow)), purpose)) {
  state_->stackTables(exchange);
}

StepPlan::~StepPlan() = default;

Status StepPlan::forward(const StepInput& input) {
  State& state = *state_;
  state.requireInput(input);
  state.prepare(input);
  state.prepareIds(state.now, input);
  PARAPET_TRY(state.fetchRows(input, false));
  PlanView plan = state.view(input, 0);
  plan.trains = false;
  state.runSegments(plan, nullptr);
  state.addUp();
  return {};
}

Status StepPlan::train(const StepInput& input, std::int64_t step, const StepInput* next) {
  State& state = *state_;
  if (state.purpose != PlanPurpose::kTrain)
    throw InvalidArgument("[nn.StepPlan] train() of a plan that was made for forward()");
  state.requireInput(input);
  state.prepare(input);
  const bool routed = state.takeAhead(input);
  if (!routed) state.prepareIds(state.now, input);
  PARAPET_TRY(state.fetchRows(input, routed));
  const bool canRoute = state.stages.size() == 2 && state.workers.count() > 1 &&
                        state.layout.segments[0].scope == NodeScope::kSlice;
  if (!canRoute || (next && next->batch == 0)) next = nullptr;
  if (next) {
    state.requireInput(*next);
    state.prepareIds(1 - state.now, *next);
  }
  state.runSegments(state.view(input, step), next);
  if (next) state.batchAhead = next->batch;
  state.addUp();
  return state.reduceAndUpdate(input, step);
}

std::span<const LossSums> StepPlan::losses() const {
  return state_->losses;
}

const float* StepPlan::output(Value value) const {
  return state_->buffers.value(value, 0);
}

const StepTimes& StepPlan::times() const {
  return state_->times;
}

const FeatureCounts& StepPlan::counts(std::size_t lookup) const {
  return state_->lookups().at(lookup).counts();
}

std::vector<const mesh::TableRoutes*> StepPlan::routes() const {
  std::vector<const mesh::TableRoutes*> routes;
  for (const ShardedStack& stack : state_->stacks) routes.push_back(&stack.routes());
  return routes;
}

std::uint64_t StepPlan::bytes() const {
  std::uint64_t total =
      state_->buffers.bytes() + state_->updates.bytes() + state_->denseGradients.bytes();
  for (const std::vector<LookupRows>& stage : state_->stages)
    for (std::size_t i = 0; i < stage.size(); ++i)
      if (state_->layout.runs[i]) total += stage[i].bytes();
  for (const TableUpdate& table : state_->tables) total += table.bytes();
  for (const ShardedStack& stack : state_->stacks) total += stack.bytes();
  return total;
}

double totalLoss(const Graph& graph, std::span<const LossSums> losses) {
  double total = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i)
    total += graph.losses()[i].weight * losses[i].numerator / losses[i].denominator;
  return total;
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/nn/rank_context.h"
#include "engine/nn/table_update.h"

namespace parapet::nn {
namespace {

/// Gradient of a dense parameter, one buffer per local rank.
struct DenseUpdate {
  ParameterIndex parameter;
  std::vector<tensor::Buffer<float>> perRank;
  std::vector<float*> pointers;
};

// Below this many numbers of a batch a second worker costs more to wake than it saves.
constexpr std::int64_t kWorthWaking = 256 * 1024;

}  // namespace

struct StepPlan::State {
  const Graph& graph;
  std::span<Parameter> parameters;
  const mesh::DeviceMesh& mesh;
  mesh::Communicator& communicator;
  Workers& workers;
  const std::int64_t capacity;
  const PlanPurpose purpose;
  PlanLayout layout;
  PlanBuffers buffers{};
  /// By node: inputs whose gradient a later node (in backward order an earlier one) wrote already.
  std::vector<std::vector<Value>> accumulating{};
  std::vector<TableUpdate> tables{};
  std::vector<DenseUpdate> dense{};
  std::vector<std::vector<float*>> denseGradients{};  ///< [rank][parameter], null: none
  std::vector<tensor::ErrorSums> errorsOfRank{};
  std::vector<TableUpdate::Gradient> gradientsOfTable{};  ///< scratch of updateTable
  std::int64_t widest = 1;                                ///< columns of the widest value
  StepTimes times{};

  void allocate();
  void allocateUpdates();
  void requireInput(const StepInput& step) const;
  /// Workers for work on so many rows, or null where the calling thread is faster alone.
  Workers* workersFor(std::int64_t rows) {
    return rows * widest >= kWorthWaking ? &workers : nullptr;
  }
  void runRank(const PlanView& plan, int rank, bool backward, Workers* inside);
  tensor::ErrorSums runRanks(const PlanView& plan, bool backward);
  void groupTable(const StepInput& input, std::size_t table);
  void updateTable(const PlanView& plan, TableUpdate& table, std::int64_t step);
  Status updateDense(DenseUpdate& update, std::int64_t step);
  Parameter& parameter(ParameterIndex index) { return parameters[static_cast<std::size_t>(index)]; }
};

void StepPlan::State::allocate() {
  const tensor::Device& device = mesh.device(0);
  for (Value value = 0; value < graph.values(); ++value) {
    const std::int64_t size = capacity * graph.cols(value);
    widest = std::max(widest, graph.cols(value));
    const auto index = static_cast<std::size_t>(value);
    buffers.values.emplace_back(device, layout.hasValue[index] ? size : 0);
    buffers.gradients.emplace_back(device, layout.hasGradient[index] ? size : 0);
  }
  errorsOfRank.resize(static_cast<std::size_t>(mesh.ranks()));
  times.computeOfRank.resize(static_cast<std::size_t>(mesh.ranks()));
  denseGradients.assign(static_cast<std::size_t>(mesh.ranks()),
                        std::vector<float*>(parameters.size(), nullptr));
  accumulating.resize(layout.nodes.size());
  if (purpose == PlanPurpose::kForward) return;

  std::vector<bool> written(static_cast<std::size_t>(graph.values()), false);
  for (std::size_t at = layout.nodes.size(); at-- > 0;)
    for (const Value in : layout.nodes[at]->inputs()) {
      if (written[static_cast<std::size_t>(in)]) accumulating[at].push_back(in);
      written[static_cast<std::size_t>(in)] = true;
    }
  allocateUpdates();
  gradientsOfTable.reserve(graph.lookups().size());
}

void StepPlan::State::allocateUpdates() {
  const tensor::Device& device = mesh.device(0);
  for (const TableLayout& table : layout.tables)
    tables.emplace_back(table, graph, device, capacity);
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const ParameterSpec& spec = parameters[index].spec;
    if (!spec.trainable || spec.sparse) continue;
    DenseUpdate update{static_cast<ParameterIndex>(index), {}, {}};
    for (std::vector<float*>& gradients : denseGradients) {
      update.perRank.emplace_back(device, spec.rows * spec.cols);
      gradients[index] = update.perRank.back().data();
      update.pointers.push_back(gradients[index]);
    }
    dense.push_back(std::move(update));
  }
}

void StepPlan::State::requireInput(const StepInput& step) const {
  if (step.rows < 0 || step.rows > capacity)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} rows; the plan holds {}", step.rows, capacity));
  const auto rows = static_cast<std::size_t>(step.rows);
  for (const Lookup& lookup : graph.lookups()) {
    const auto output = static_cast<std::size_t>(lookup.output);
    if (!layout.hasValue[output] && !layout.inPlace[output]) continue;
    const auto feature = static_cast<std::size_t>(lookup.feature);
    if (feature >= step.features.size())
      throw InvalidArgument(fmt::format("[nn.StepPlan] {} features; the graph reads feature {}",
                                        step.features.size(), feature));
    const std::size_t ids = step.features[feature].ids.size();
    if (ids != rows)
      throw InvalidArgument(
          fmt::format("[nn.StepPlan] {} ids of feature {} for {} rows", ids, feature, rows));
  }
  const bool needsLabels = purpose == PlanPurpose::kTrain || !step.labels.empty();
  if (needsLabels && step.labels.size() != rows)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} labels for {} rows", step.labels.size(), rows));
  if (!step.weights.empty() && step.weights.size() != rows)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} weights for {} rows", step.weights.size(), rows));
}

void StepPlan::State::runRank(const PlanView& plan, int rank, bool backward, Workers* inside) {
  const Stopwatch clock;
  const auto index = static_cast<std::size_t>(rank);
  RankContext context(plan, {&mesh.device(rank), inside}, mesh.slice(rank, plan.input.rows),
                      denseGradients[index]);
  for (const Node* node : layout.nodes) node->forward(context);
  if (backward)
    for (std::size_t at = layout.nodes.size(); at-- > 0;) {
      // A node whose output nobody differentiates (the loss has written its gradient) is skipped.
      const auto out = static_cast<std::size_t>(layout.nodes[at]->output());
      if (!layout.hasGradient[out]) continue;
      context.setAccumulating(accumulating[at]);
      layout.nodes[at]->backward(context);
    }
  errorsOfRank[index] = context.errors();
  times.computeOfRank[index] = clock.seconds();
}

// Ranks that run side by side each keep to one worker; a lone rank may use all of them. Grouping
// needs ids alone, so it goes along.
tensor::ErrorSums StepPlan::State::runRanks(const PlanView& plan, bool backward) {
  const std::int64_t groups = backward ? static_cast<std::int64_t>(tables.size()) : 0;
  const bool alone = mesh.ranks() == 1;
  Workers* const outside = workersFor(plan.input.rows);
  const auto task = [&](std::int64_t block) {
    if (block < groups)
      groupTable(plan.input, static_cast<std::size_t>(block));
    else
      runRank(plan, static_cast<int>(block - groups), backward, nullptr);
  };
  const std::int64_t blocks = alone ? groups : groups + mesh.ranks();
  if (outside)
    outside->parallelFor(blocks, task);
  else
    for (std::int64_t block = 0; block < blocks; ++block) task(block);
  if (alone) runRank(plan, 0, backward, outside);
  tensor::ErrorSums total;
  for (const tensor::ErrorSums& errors : errorsOfRank) {
    total.squared += errors.squared;
    total.absolute += errors.absolute;
    total.weight += errors.weight;
  }
  return total;
}

void StepPlan::State::groupTable(const StepInput& input, std::size_t index) {
  TableUpdate& table = tables[index];
  table.group({&mesh.device(0), nullptr}, parameter(table.layout().table), input.features);
}

void StepPlan::State::updateTable(const PlanView& plan, TableUpdate& table, std::int64_t step) {
  const tensor::Launch launch{&mesh.device(0), workersFor(plan.input.rows)};
  gradientsOfTable.clear();
  if (const auto& factored = table.layout().factored)
    gradientsOfTable.push_back({unchangedRows(plan, factored->rows),
                                PlanBuffers::at(buffers.gradients, graph, factored->scale, 0)});
  else
    for (const Lookup& lookup : table.layout().lookups)
      gradientsOfTable.push_back({{PlanBuffers::at(buffers.gradients, graph, lookup.output, 0)}});
  table.apply(launch, parameter(table.layout().table), gradientsOfTable, step);
}

Status StepPlan::State::updateDense(DenseUpdate& update, std::int64_t step) {
  Parameter& parameter = this->parameter(update.parameter);
  Stopwatch clock;
  PARAPET_TRY(communicator.allReduce(update.pointers, parameter.size()));
  times.collective += clock.seconds();
  clock.restart();
  updateParameter({&mesh.device(0), &workers}, parameter,
                  tensor::everyRow(parameter.weight.data(), parameter.spec.rows,
                                   parameter.spec.cols, update.pointers[0]),
                  step);
  times.update += clock.seconds();
  return {};
}

StepPlan::StepPlan(const Graph& graph, std::span<Parameter> parameters,
                   const mesh::DeviceMesh& mesh, mesh::Communicator& communicator, Workers& workers,
                   std::vector<Value> targets, std::int64_t capacityRows, PlanPurpose purpose)
    : state_(new State{graph, parameters, mesh, communicator, workers, capacityRows, purpose,
                       PlanLayout(graph, targets, purpose)}) {
  if (capacityRows < 1)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] capacity {}; at least 1 row is accepted", capacityRows));
  state_->allocate();
}

StepPlan::~StepPlan() = default;

tensor::ErrorSums StepPlan::forward(const StepInput& input) {
  state_->requireInput(input);
  return state_->runRanks(
      {state_->graph, state_->layout, state_->parameters, state_->buffers, input}, false);
}

Result<tensor::ErrorSums> StepPlan::train(const StepInput& input, std::int64_t step) {
  State& state = *state_;
  if (state.purpose != PlanPurpose::kTrain)
    throw InvalidArgument("[nn.StepPlan] train() of a plan that was made for forward()");
  state.requireInput(input);
  const PlanView plan{state.graph, state.layout, state.parameters, state.buffers, input};
  const tensor::ErrorSums errors = state.runRanks(plan, true);
  const Stopwatch clock;
  for (TableUpdate& table : state.tables) state.updateTable(plan, table, step);
  state.times.update = clock.seconds();
  state.times.collective = 0.0;
  for (DenseUpdate& update : state.dense) PARAPET_TRY(state.updateDense(update, step));
  return errors;
}

const float* StepPlan::output(Value value) const {
  return state_->buffers.values.at(static_cast<std::size_t>(value)).data();
}

const StepTimes& StepPlan::times() const {
  return state_->times;
}

std::uint64_t StepPlan::bytes() const {
  std::uint64_t total = 0;
  for (const auto& buffer : state_->buffers.values) total += buffer.bytes();
  for (const auto& buffer : state_->buffers.gradients) total += buffer.bytes();
  for (const TableUpdate& table : state_->tables) total += table.bytes();
  for (const DenseUpdate& update : state_->dense)
    for (const auto& buffer : update.perRank) total += buffer.bytes();
  return total;
}

std::uint64_t StepPlan::estimateBytes(const Graph& graph, const std::vector<Value>& targets,
                                      std::int64_t capacityRows, int ranks, PlanPurpose purpose) {
  return PlanLayout(graph, targets, purpose).bytes(graph, capacityRows, ranks);
}

}  // namespace parapet::nn

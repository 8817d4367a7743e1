// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/nn/plan_analysis.h"

namespace parapet::nn {
namespace {

/// Merge buffers of one table: ids and gradients of all its lookups, and the merged result.
struct TableUpdate {
  ParameterIndex table;
  std::vector<Lookup> lookups;
  tensor::Buffer<std::int32_t>
      rows;  ///< of all lookups one after the other; unused for a single one
  tensor::Buffer<float> grad;
  tensor::Buffer<std::int32_t> mergedRows;
  tensor::Buffer<float> merged;
};

/// Gradient of a dense parameter, one buffer per local rank.
struct DenseUpdate {
  ParameterIndex parameter;
  std::vector<tensor::Buffer<float>> perRank;
  std::vector<float*> pointers;
};

}  // namespace

struct StepPlan::State {
  const Graph& graph;
  std::span<Parameter> parameters;
  const mesh::DeviceMesh& mesh;
  mesh::Communicator& communicator;
  Workers& workers;
  const std::int64_t capacity;
  const PlanPurpose purpose;
  std::vector<const Node*> nodes;
  std::vector<tensor::Buffer<float>> values, gradients;
  /// accumulate[node position][value]: a later node (in backward order an earlier one) wrote
  /// already.
  std::vector<std::vector<Value>> accumulating;
  std::vector<TableUpdate> tables;
  std::vector<DenseUpdate> dense;
  std::vector<tensor::ErrorSums> errorsOfRank;
  std::vector<int> denseOfParameter;  ///< index into dense, −1: none
  const StepInput* input = nullptr;

  void allocate();
  void allocateUpdates();
  void requireInput(const StepInput& step) const;
  void runRank(int rank, bool backward);
  tensor::ErrorSums runRanks(bool backward);
  tensor::Launch updateLaunch() { return {&mesh.device(0), &workers}; }
  void updateTable(TableUpdate& table, std::int64_t step);
  Status updateDense(DenseUpdate& update, std::int64_t step);
};

namespace {

/// A rank's view of the step.
class RankContext final : public NodeContext {
 public:
  RankContext(const StepInput& input, std::span<Parameter> parameters, const Graph& graph,
              std::vector<tensor::Buffer<float>>& values,
              std::vector<tensor::Buffer<float>>& gradients, tensor::Launch launch,
              mesh::RowSlice slice)
      : input_(input),
        parameters_(parameters),
        graph_(graph),
        values_(values),
        gradients_(gradients),
        launch_(launch),
        slice_(slice) {}

  const tensor::Launch& launch() const override { return launch_; }
  std::int64_t rows() const override { return slice_.rows(); }
  float* value(Value value) override { return at(values_, value); }
  float* gradient(Value value) override { return at(gradients_, value); }
  tensor::Accumulate accumulate(Value value) const override {
    const bool add =
        std::find(accumulating->begin(), accumulating->end(), value) != accumulating->end();
    return add ? tensor::Accumulate::kYes : tensor::Accumulate::kNo;
  }
  const Parameter& parameter(ParameterIndex index) const override {
    return parameters_[static_cast<std::size_t>(index)];
  }
  float* parameterGradient(ParameterIndex index) override {
    const int at = (*denseOfParameter)[static_cast<std::size_t>(index)];
    return at < 0 ? nullptr
                  : (*dense)[static_cast<std::size_t>(at)].pointers[static_cast<std::size_t>(rank)];
  }
  std::span<const std::int32_t> ids(std::int32_t feature) const override {
    return input_.features[static_cast<std::size_t>(feature)].ids.subspan(
        static_cast<std::size_t>(slice_.begin), static_cast<std::size_t>(slice_.rows()));
  }
  const float* labels() const override {
    if (input_.labels.empty() && input_.rows > 0)
      throw InvalidArgument("[nn.StepPlan] no labels; the loss is a target of this plan");
    return input_.labels.data() + slice_.begin;
  }
  const float* weights() const override {
    return input_.weights.empty() ? nullptr : input_.weights.data() + slice_.begin;
  }
  float lossScale() const override { return static_cast<float>(1.0 / input_.denominator); }
  void addErrors(const tensor::ErrorSums& sums) override { errors = sums; }

  int rank = 0;
  const std::vector<int>* denseOfParameter = nullptr;
  std::vector<DenseUpdate>* dense = nullptr;
  const std::vector<Value>* accumulating = nullptr;
  tensor::ErrorSums errors;

 private:
  float* at(std::vector<tensor::Buffer<float>>& buffers, Value value) {
    auto& buffer = buffers[static_cast<std::size_t>(value)];
    return buffer.size() == 0 ? nullptr : buffer.data() + slice_.begin * graph_.cols(value);
  }
  const StepInput& input_;
  std::span<Parameter> parameters_;
  const Graph& graph_;
  std::vector<tensor::Buffer<float>>& values_;
  std::vector<tensor::Buffer<float>>& gradients_;
  tensor::Launch launch_;
  mesh::RowSlice slice_;
};

}  // namespace

void StepPlan::State::allocate() {
  const tensor::Device& device = mesh.device(0);
  const auto count = static_cast<std::size_t>(graph.values());
  values.resize(count);
  gradients.resize(count);
  for (const Node* node : nodes) {
    const Value out = node->output();
    values[static_cast<std::size_t>(out)] =
        tensor::Buffer<float>(device, capacity * graph.cols(out));
  }
  accumulating.resize(nodes.size());
  denseOfParameter.assign(parameters.size(), -1);
  errorsOfRank.resize(static_cast<std::size_t>(mesh.ranks()));
  if (purpose == PlanPurpose::kForward) return;

  const std::vector<bool> wanted = wantedGradients(graph, nodes);
  for (const Node* node : nodes) {
    const Value out = node->output();
    if (wanted[static_cast<std::size_t>(out)])
      gradients[static_cast<std::size_t>(out)] =
          tensor::Buffer<float>(device, capacity * graph.cols(out));
  }
  std::vector<bool> written(count, false);
  for (std::size_t at = nodes.size(); at-- > 0;)
    for (const Value in : nodes[at]->inputs()) {
      if (written[static_cast<std::size_t>(in)]) accumulating[at].push_back(in);
      written[static_cast<std::size_t>(in)] = true;
    }
  allocateUpdates();
}

void StepPlan::State::allocateUpdates() {
  const tensor::Device& device = mesh.device(0);
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const ParameterSpec& spec = parameters[index].spec;
    if (!spec.trainable) continue;
    const auto parameter = static_cast<ParameterIndex>(index);
    if (spec.sparse) {
      TableUpdate update{parameter, {}, {}, {}, {}, {}};
      for (const Lookup& lookup : graph.lookups())
        if (lookup.table == parameter) update.lookups.push_back(lookup);
      if (update.lookups.empty()) continue;
      const TableUpdateSize size =
          tableUpdateSize(spec, static_cast<std::int64_t>(update.lookups.size()), capacity);
      update.rows = tensor::Buffer<std::int32_t>(device, size.gathered);
      update.grad = tensor::Buffer<float>(device, size.gathered * spec.cols);
      update.mergedRows = tensor::Buffer<std::int32_t>(device, size.distinct);
      update.merged = tensor::Buffer<float>(device, size.distinct * spec.cols);
      tables.push_back(std::move(update));
    } else {
      denseOfParameter[index] = static_cast<int>(dense.size());
      DenseUpdate update{parameter, {}, {}};
      for (int rank = 0; rank < mesh.ranks(); ++rank) {
        update.perRank.emplace_back(device, spec.rows * spec.cols);
        update.pointers.push_back(update.perRank.back().data());
      }
      dense.push_back(std::move(update));
    }
  }
}

void StepPlan::State::requireInput(const StepInput& step) const {
  if (step.rows < 0 || step.rows > capacity)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} rows; the plan holds {}", step.rows, capacity));
  const auto rows = static_cast<std::size_t>(step.rows);
  for (const Lookup& lookup : graph.lookups()) {
    if (values[static_cast<std::size_t>(lookup.output)].size() == 0) continue;
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

void StepPlan::State::runRank(int rank, bool backward) {
  // Ranks that run side by side each keep to one worker; a lone rank may use all of them.
  const tensor::Launch launch{&mesh.device(rank), mesh.ranks() == 1 ? &workers : nullptr};
  RankContext context(*input, parameters, graph, values, gradients, launch,
                      mesh.slice(rank, input->rows));
  context.rank = rank;
  context.denseOfParameter = &denseOfParameter;
  context.dense = &dense;
  for (const Node* node : nodes) node->forward(context);
  if (backward)
    for (std::size_t at = nodes.size(); at-- > 0;) {
      // A node whose output nobody differentiates (the loss has written its gradient) is skipped.
      if (gradients[static_cast<std::size_t>(nodes[at]->output())].size() == 0) continue;
      context.accumulating = &accumulating[at];
      nodes[at]->backward(context);
    }
  errorsOfRank[static_cast<std::size_t>(rank)] = context.errors;
}

tensor::ErrorSums StepPlan::State::runRanks(bool backward) {
  if (mesh.ranks() == 1)
    runRank(0, backward);
  else
    workers.parallelFor(mesh.ranks(),
                        [&](std::int64_t rank) { runRank(static_cast<int>(rank), backward); });
  tensor::ErrorSums total;
  for (const tensor::ErrorSums& errors : errorsOfRank) {
    total.squared += errors.squared;
    total.absolute += errors.absolute;
    total.weight += errors.weight;
  }
  return total;
}

void StepPlan::State::updateTable(TableUpdate& table, std::int64_t step) {
  Parameter& parameter = parameters[static_cast<std::size_t>(table.table)];
  const std::int64_t width = parameter.spec.cols;
  const tensor::Launch launch = updateLaunch();
  const auto idsOf = [&](const Lookup& lookup) {
    return input->features[static_cast<std::size_t>(lookup.feature)].ids;
  };
  std::span<const std::int32_t> rows = idsOf(table.lookups[0]);
  const float* grad = gradients[static_cast<std::size_t>(table.lookups[0].output)].data();
  if (table.lookups.size() > 1) {
    std::int64_t filled = 0;
    for (const Lookup& lookup : table.lookups) {
      const auto ids = idsOf(lookup);
      const auto count = static_cast<std::int64_t>(ids.size());
      std::copy(ids.begin(), ids.end(), table.rows.data() + filled);
      tensor::copyColumns(launch, count, width,
                          gradients[static_cast<std::size_t>(lookup.output)].data(), width,
                          table.grad.data() + filled * width, width, tensor::Accumulate::kNo);
      filled += count;
    }
    rows = {table.rows.data(), static_cast<std::size_t>(filled)};
    grad = table.grad.data();
  }
  const std::int64_t distinct =
      tensor::mergeRows(launch, rows, grad, parameter.spec.rows, width, parameter.slotOfRow.data(),
                        table.mergedRows.data(), table.merged.data());
  updateParameter(launch, parameter, table.mergedRows.data(), distinct, table.merged.data(), step);
}

Status StepPlan::State::updateDense(DenseUpdate& update, std::int64_t step) {
  Parameter& parameter = parameters[static_cast<std::size_t>(update.parameter)];
  PARAPET_TRY(communicator.allReduce(update.pointers, parameter.size()));
  updateParameter(updateLaunch(), parameter, nullptr, parameter.spec.rows, update.pointers[0],
                  step);
  return {};
}

StepPlan::StepPlan(const Graph& graph, std::span<Parameter> parameters,
                   const mesh::DeviceMesh& mesh, mesh::Communicator& communicator, Workers& workers,
                   std::vector<Value> targets, std::int64_t capacityRows, PlanPurpose purpose)
    : state_(new State{graph,
                       parameters,
                       mesh,
                       communicator,
                       workers,
                       capacityRows,
                       purpose,
                       neededNodes(graph, targets),
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       {},
                       nullptr}) {
  if (capacityRows < 1)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] capacity {}; at least 1 row is accepted", capacityRows));
  state_->allocate();
}

StepPlan::~StepPlan() = default;

tensor::ErrorSums StepPlan::forward(const StepInput& input) {
  state_->requireInput(input);
  state_->input = &input;
  return state_->runRanks(false);
}

Result<tensor::ErrorSums> StepPlan::train(const StepInput& input, std::int64_t step) {
  if (state_->purpose != PlanPurpose::kTrain)
    throw InvalidArgument("[nn.StepPlan] train() of a plan that was made for forward()");
  state_->requireInput(input);
  state_->input = &input;
  const tensor::ErrorSums errors = state_->runRanks(true);
  for (TableUpdate& table : state_->tables) state_->updateTable(table, step);
  for (DenseUpdate& update : state_->dense) PARAPET_TRY(state_->updateDense(update, step));
  return errors;
}

const float* StepPlan::output(Value value) const {
  return state_->values.at(static_cast<std::size_t>(value)).data();
}

std::uint64_t StepPlan::bytes() const {
  std::uint64_t total = 0;
  for (const auto& buffer : state_->values) total += buffer.bytes();
  for (const auto& buffer : state_->gradients) total += buffer.bytes();
  for (const TableUpdate& table : state_->tables)
    total +=
        table.rows.bytes() + table.grad.bytes() + table.mergedRows.bytes() + table.merged.bytes();
  for (const DenseUpdate& update : state_->dense)
    for (const auto& buffer : update.perRank) total += buffer.bytes();
  return total;
}

}  // namespace parapet::nn

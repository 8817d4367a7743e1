// SPDX-License-Identifier: Apache-2.0
#include "engine/train/session.h"

#include <algorithm>
#include <cmath>

#include "engine/mesh/placement.h"
#include "engine/nn/schedules.h"
#include "engine/train/session_state.h"
#include "engine/train/task.h"

namespace parapet::train {

nn::StepBatch Session::State::input(const data::Batch& batch, const StepInputs::Key& key) {
  nn::StepBatch input{batch.rows,  batch.features,           batch.labels, batch.weights,
                      batch.lists, experiment.training.seed, batch.serial};
  input.positions = batch.positions;
  return inputs ? inputs->extend(input, key) : input;
}

Status Session::State::makeParameters(const std::stop_token& stop) {
  const auto vectors = [this](std::string_view name) -> nn::VectorRows {
    const data::DenseMatrix found = dataset->vectors(name);
    return {found.values, found.width};
  };
  for (std::size_t i = 0; i < model.graph.parameters().size(); ++i) {
    const mesh::Sharding& sharding = resolved.shardings[i];
    PARAPET_ASSIGN(
        nn::Parameter parameter,
        nn::makeParameter(model.graph.parameters()[i], sharding, mesh::devicesOf(sharding, mesh),
                          experiment.training.seed, vectors, stop));
    parameters.push_back(std::move(parameter));
  }
  return {};
}

nn::StepRunner& Session::State::training() const {
  if (!trainRunner) throw InvalidArgument("[train.Session] a session for questions does not train");
  return *trainRunner;
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(const experiment::Experiment& experiment,
                                                 std::shared_ptr<const data::Dataset> dataset,
                                                 ResolvedModel resolved, int threads,
                                                 const mesh::CommunicatorFactory& communicators,
                                                 Use use, const std::stop_token& stop) {
  std::vector<std::int64_t> capacityBytes;
  for (const mesh::DevicePlan& device : resolved.plan.devices)
    capacityBytes.push_back(device.capacityBytes);
  resolved.mesh = resolved.mesh.within(capacityBytes);
  auto state = std::make_unique<State>(experiment, std::move(dataset), std::move(resolved));
  State& s = *state;
  s.extent.devices = s.mesh.ranks();
  s.workers = std::make_unique<Workers>(threads > 0 ? threads : Workers::available());
  s.communicators = communicators;
  PARAPET_ASSIGN(s.communicator, communicators(s.mesh.devices(), s.workers.get()));
  if (s.mesh.isDivided()) {
    PARAPET_ASSIGN(s.betweenProcesses, s.communicator->group(s.mesh.processes()));
  }
  PARAPET_TRY(s.makeParameters(stop));
  const std::vector<nn::StepTask> tasks = sessionTasks(experiment, s.resolved);
  if (use == Use::kTraining) s.trainRunner = s.runner(tasks[0]);
  s.evaluateRunner = s.runner(tasks[1]);
  for (std::size_t i = 2; i < tasks.size(); ++i)
    s.outputRunners.push_back({tasks[i].targets[0], s.runner(tasks[i])});
  s.last = s.trainRunner ? s.trainRunner.get() : s.evaluateRunner.get();
  s.vocabularies = VocabularyTensors(*s.dataset);
  std::unique_ptr<Session> session(new Session(std::move(state)));
  session->useRunSteps(0);
  return session;
}

const experiment::Experiment& Session::experiment() const {
  return state_->experiment;
}
const std::shared_ptr<const data::Dataset>& Session::sharedDataset() const {
  return state_->dataset;
}
const data::Dataset& Session::dataset() const {
  return *state_->dataset;
}
const ResolvedModel& Session::resolved() const {
  return state_->resolved;
}
const mesh::DeviceMesh& Session::mesh() const {
  return state_->mesh;
}
const nn::Model& Session::model() const {
  return state_->model;
}
std::span<nn::Parameter> Session::parameters() {
  return state_->parameters;
}
Workers& Session::workers() {
  return *state_->workers;
}
const mesh::CommunicatorFactory& Session::communicators() const {
  return state_->communicators;
}
std::int64_t Session::batchRows() const {
  return state_->batchRows;
}

void Session::useRunSteps(std::int64_t steps) {
  State& s = *state_;
  s.require(RunSteps{steps});
  s.extent.steps = steps;
  for (std::size_t i = 0; i < s.parameters.size(); ++i)
    s.parameters[i].spec.optimizer = experiment::optimizerOfRun(
        s.model.graph.parameters()[i].optimizer, s.experiment.schedule, s.extent);
}

double Session::learningRate(std::int64_t step) const {
  const State& s = *state_;
  const experiment::Optimizer of =
      experiment::optimizerOfRun(s.experiment.optimizer, s.experiment.schedule, s.extent);
  return nn::learningRateAt(*of.schedule, of.learningRate, step - 1);
}

nn::StepRunner::Part Session::partOf(const data::Batch& batch, std::int64_t first,
                                     std::int64_t batchesPerEpoch) const {
  const std::int64_t parts = state_->experiment.optimizer.accumulateSteps;
  const std::int64_t index = (batch.index - first) % parts;
  return {index, index + 1 == parts || batch.index + 1 == batchesPerEpoch};
}

Status Session::train(const data::Batch& batch, std::int64_t step, const data::Batch* next,
                      const nn::StepRunner::Part& part) {
  State& s = *state_;
  s.last = &s.training();
  // Every batch has draws of its own.
  const auto key = static_cast<std::uint64_t>((step - 1) * s.experiment.optimizer.accumulateSteps +
                                              part.index + 1);
  const nn::StepBatch input = s.input(batch, StepInputs::trainingKey(batch, key));
  TrainBatch command{step, part, input};
  if (next) command.next = s.input(*next, StepInputs::trainingKey(*next, key + 1));
  PARAPET_TRY(s.ask(command));
  return s.last->train(input, step, command.next ? &*command.next : nullptr, part);
}

Status Session::evaluate(const data::Batch& batch) {
  State& s = *state_;
  s.last = s.evaluateRunner.get();
  return s.forward(*s.last, ForwardBatch::kEvaluation,
                   s.input(batch, StepInputs::evaluationKey(batch)));
}

std::optional<double> Session::temperature() const {
  const nn::ParameterIndex index = state_->model.temperature;
  if (index < 0) return std::nullopt;
  return std::exp(
      static_cast<double>(tensor::readBack(state_->parameters[at(index)].whole().weight)[0]));
}

std::span<const nn::LossSums> Session::losses() const {
  return state_->last->losses();
}

double Session::loss() const {
  return nn::totalLoss(state_->model.graph, losses());
}

const nn::StepTimes& Session::times() const {
  return state_->training().times();
}

bool Session::keptWeightsFinite() const {
  return state_->training().keptWeightsFinite();
}

const nn::FeatureCounts& Session::counts(std::size_t lookup) const {
  return state_->training().counts(lookup);
}

std::vector<const mesh::TableRoutes*> Session::routes() const {
  return state_->training().routes();
}

const float* Session::predictions(std::size_t head) const {
  return state_->last->output(state_->model.heads.at(head).prediction);
}

}  // namespace parapet::train

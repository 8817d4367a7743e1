// SPDX-License-Identifier: Apache-2.0
#include "engine/train/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "engine/retrieval/recommender.h"
#include "engine/train/vocabulary_tensors.h"

namespace parapet::train {
namespace {

// Towers are applied to this many rows at a time when a snapshot is made.
constexpr std::int64_t kSnapshotRows = 4096;

}  // namespace

struct Session::State {
  experiment::Experiment experiment;
  std::shared_ptr<const data::Dataset> dataset;
  mesh::DeviceMesh mesh;
  nn::TwoTower model;
  std::vector<nn::Parameter> parameters;
  std::unique_ptr<Workers> workers;
  std::unique_ptr<mesh::Communicator> communicator;
  std::int64_t batchRows = 0;
  std::unique_ptr<nn::StepPlan> trainPlan, evaluatePlan, queryPlan, candidatePlan;
  VocabularyTensors vocabularies;

  std::unique_ptr<nn::StepPlan> plan(std::vector<nn::Value> targets, std::int64_t rows,
                                     nn::PlanPurpose purpose) {
    return std::make_unique<nn::StepPlan>(model.graph, parameters, mesh, *communicator, *workers,
                                          std::move(targets), rows, purpose);
  }
  nn::StepInput input(const data::Batch& batch) const;
  std::vector<float> tower(nn::StepPlan& plan, nn::Value output, std::int64_t rows) const;
};

// The denominator of the global batch's loss is known before the step, so that every rank can scale
// its gradients and the sum over ranks is the gradient of the global loss.
nn::StepInput Session::State::input(const data::Batch& batch) const {
  double denominator = 1.0;
  if (experiment.loss.reduction == experiment::Reduction::kMean)
    denominator = static_cast<double>(batch.rows);
  if (experiment.loss.reduction == experiment::Reduction::kWeightedMean)
    denominator = batch.weights.empty()
                      ? static_cast<double>(batch.rows)
                      : std::accumulate(batch.weights.begin(), batch.weights.end(), 0.0);
  return {batch.rows, batch.features, batch.labels, batch.weights,
          denominator > 0.0 ? denominator : 1.0};
}

std::vector<float> Session::State::tower(nn::StepPlan& plan, nn::Value output,
                                         std::int64_t rows) const {
  const std::int64_t width = model.graph.cols(output);
  std::vector<float> out(static_cast<std::size_t>(rows * width));
  std::vector<std::int32_t> ids;
  std::vector<data::FeatureIds> features(model.columns.size());
  for (std::int64_t begin = 0; begin < rows; begin += kSnapshotRows) {
    const std::int64_t count = std::min(kSnapshotRows, rows - begin);
    ids.resize(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), static_cast<std::int32_t>(begin));
    for (data::FeatureIds& feature : features) feature.ids = ids;
    const nn::StepInput input{count, features};
    plan.forward(input);
    std::copy_n(plan.output(output), count * width, out.data() + begin * width);
  }
  return out;
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(const experiment::Experiment& experiment,
                                                 std::shared_ptr<const data::Dataset> dataset,
                                                 int threads) {
  PARAPET_ASSIGN(mesh::DeviceMesh mesh, mesh::DeviceMesh::create(experiment.mesh));
  PARAPET_ASSIGN(nn::TwoTower model,
                 nn::buildTwoTower(experiment, vocabularySizes(experiment, *dataset)));
  auto state = std::make_unique<State>(State{experiment,
                                             std::move(dataset),
                                             std::move(mesh),
                                             std::move(model),
                                             {},
                                             {},
                                             {},
                                             0,
                                             {},
                                             {},
                                             {},
                                             {},
                                             {}});
  State& s = *state;
  s.batchRows = globalBatchRows(experiment.dataset.batch, s.mesh.ranks());
  s.workers = std::make_unique<Workers>(threads > 0 ? threads : Workers::available());
  s.communicator =
      mesh::makeLocalCommunicator(s.mesh.ranks(), {&s.mesh.device(0), s.workers.get()});
  for (const nn::ParameterSpec& spec : s.model.graph.parameters())
    s.parameters.push_back(nn::makeParameter(spec, s.mesh.device(0), experiment.training.seed));
  s.trainPlan = s.plan({s.model.loss}, s.batchRows, nn::PlanPurpose::kTrain);
  s.evaluatePlan = s.plan({s.model.loss}, s.batchRows, nn::PlanPurpose::kForward);
  s.queryPlan = s.plan({s.model.query}, kSnapshotRows, nn::PlanPurpose::kForward);
  s.candidatePlan = s.plan({s.model.candidate}, kSnapshotRows, nn::PlanPurpose::kForward);
  s.vocabularies = VocabularyTensors(*s.dataset);
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

const data::Dataset& Session::dataset() const {
  return *state_->dataset;
}
const mesh::DeviceMesh& Session::mesh() const {
  return state_->mesh;
}
const nn::TwoTower& Session::model() const {
  return state_->model;
}
std::span<nn::Parameter> Session::parameters() {
  return state_->parameters;
}
Workers& Session::workers() {
  return *state_->workers;
}
std::int64_t Session::batchRows() const {
  return state_->batchRows;
}

std::unique_ptr<data::BatchLoader> Session::loader(const data::Split& split,
                                                   retrieval::Part part) const {
  const bool training = part == retrieval::Part::kTrain, test = part == retrieval::Part::kTest;
  data::RowSet rows = training ? split.train : test ? split.test : split.validation;
  const experiment::Batch& batch = state_->experiment.dataset.batch;
  data::BatchLoader::Options options;
  options.batchRows = state_->batchRows;
  options.dropRemainder = training && batch.dropRemainder;
  options.cache = batch.cache;
  options.seed = state_->experiment.training.seed;
  options.window = batch.window;
  if (split.reshuffled) {
    const data::Split::Reshuffled& drawn = *split.reshuffled;
    const data::Draw& draw = training ? drawn.train : test ? drawn.test : drawn.validation;
    rows = drawn.all;
    options.order = experiment::BatchOrder::kEpoch;
    options.seed = draw.seed;
    options.stretch = draw.stretch;
  } else if (training) {
    options.order = batch.shuffle;
  } else if (rows.isAscending()) {
    options.order = experiment::BatchOrder::kNone;  // nothing is gained by mixing them
  }
  return std::make_unique<data::BatchLoader>(state_->dataset, std::move(rows),
                                             state_->model.columns, options);
}

Result<tensor::ErrorSums> Session::train(const data::Batch& batch, std::int64_t step) {
  return state_->trainPlan->train(state_->input(batch), step);
}

const nn::StepTimes& Session::times() const {
  return state_->trainPlan->times();
}

tensor::ErrorSums Session::evaluate(const data::Batch& batch) {
  return state_->evaluatePlan->forward(state_->input(batch));
}

retrieval::ModelSnapshot Session::snapshot() {
  State& s = *state_;
  retrieval::ModelSnapshot snapshot;
  snapshot.dim = s.model.graph.cols(s.model.query);
  snapshot.queryRows = s.dataset->vocabularyOf(s.model.queryColumn).size();
  snapshot.candidateRows = s.dataset->vocabularyOf(s.model.candidateColumn).size();
  snapshot.queries = s.tower(*s.queryPlan, s.model.query, snapshot.queryRows);
  snapshot.candidates = s.tower(*s.candidatePlan, s.model.candidate, snapshot.candidateRows);
  return snapshot;
}

std::vector<checkpoint::TensorView> Session::tensors() const {
  std::vector<checkpoint::TensorView> out;
  const auto add = [&](const nn::Parameter& parameter, const std::string& name,
                       const tensor::Buffer<float>& values) {
    out.push_back({parameter.spec.name + "/" + name,
                   checkpoint::ElementType::kF32,
                   {parameter.spec.rows, parameter.spec.cols},
                   std::as_bytes(values.host())});
  };
  for (const nn::Parameter& parameter : state_->parameters) {
    add(parameter, "weight", parameter.weight);
    for (const nn::Slot& slot : parameter.slots) add(parameter, slot.name, slot.values);
  }
  state_->vocabularies.appendTo(out);
  return out;
}

Status Session::load(const checkpoint::Checkpoint& checkpoint) {
  std::vector<std::pair<const checkpoint::TensorView*, std::span<float>>> copies;
  const auto want = [&](const nn::Parameter& parameter, const std::string& name,
                        std::span<float> into) -> Status {
    const std::string full = parameter.spec.name + "/" + name;
    const checkpoint::TensorView* found = checkpoint.find(full);
    const std::vector<std::int64_t> shape{parameter.spec.rows, parameter.spec.cols};
    if (!found)
      return Error{ErrorCode::kData,
                   fmt::format("the checkpoint has no tensor {}", full),
                   {},
                   checkpoint.folder().string()};
    if (found->type != checkpoint::ElementType::kF32 || found->shape != shape)
      return Error{ErrorCode::kData,
                   fmt::format("tensor {} is [{}] in the checkpoint, the model needs [{}] f32",
                               full, fmt::join(found->shape, ", "), fmt::join(shape, ", ")),
                   {},
                   checkpoint.folder().string()};
    copies.emplace_back(found, into);
    return {};
  };
  for (nn::Parameter& parameter : state_->parameters) {
    PARAPET_TRY(want(parameter, "weight", parameter.weight.host()));
    for (nn::Slot& slot : parameter.slots)
      PARAPET_TRY(want(parameter, slot.name, slot.values.host()));
  }
  for (const auto& [from, into] : copies)
    std::memcpy(into.data(), from->bytes.data(), into.size_bytes());
  return {};
}

bool Session::weightsFinite() const {
  return std::all_of(state_->parameters.begin(), state_->parameters.end(),
                     [](const nn::Parameter& parameter) {
                       const auto weight = parameter.weight.host();
                       return std::all_of(weight.begin(), weight.end(),
                                          [](float value) { return std::isfinite(value); });
                     });
}

std::map<std::string, std::int64_t> vocabularySizes(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset) {
  std::map<std::string, std::int64_t> sizes;
  for (const experiment::Vocabulary& vocabulary : experiment.dataset.vocabularies)
    sizes[vocabulary.name] = dataset.vocabulary(vocabulary.name).size();
  return sizes;
}

std::int64_t globalBatchRows(const experiment::Batch& batch, std::int64_t ranks) {
  return batch.perDevice ? *batch.perDevice * ranks : batch.size.value_or(1);
}

}  // namespace parapet::train

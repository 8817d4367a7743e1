// SPDX-License-Identifier: Apache-2.0
#include "engine/train/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "engine/mesh/placement.h"
#include "engine/retrieval/recommender.h"
#include "engine/train/column_ids.h"
#include "engine/train/ranking_scorer.h"
#include "engine/train/vocabulary_tensors.h"

namespace parapet::train {
namespace {

// Towers are applied to this many rows at a time when a snapshot is made.
constexpr std::int64_t kSnapshotRows = 4096;

/// The weight of a parameter or one of its slots.
struct ParameterArray {
  std::string name;
  int slot;  ///< −1: the weight
  std::int64_t cols;
  std::span<const float> whole;  ///< of a parameter in one piece
};

std::vector<ParameterArray> arraysOf(const nn::Parameter& parameter) {
  const nn::ParameterShard& first = parameter.shards[0];
  std::vector<ParameterArray> arrays{{"weight", -1, parameter.spec.cols, first.weight.host()}};
  const auto specs = nn::slotSpecs(parameter.spec.optimizer, parameter.spec.cols);
  for (std::size_t slot = 0; slot < first.slots.size(); ++slot)
    arrays.push_back({specs[slot].name, static_cast<int>(slot), specs[slot].cols,
                      first.slots[slot].values.host()});
  return arrays;
}

}  // namespace

struct Session::State {
  experiment::Experiment experiment;
  std::shared_ptr<const data::Dataset> dataset;
  mesh::DeviceMesh mesh;
  nn::Model model;
  std::vector<nn::Parameter> parameters;
  std::unique_ptr<Workers> workers;
  std::unique_ptr<mesh::Communicator> communicator;
  std::int64_t batchRows = 0;
  std::unique_ptr<nn::StepPlan> trainPlan, evaluatePlan, queryPlan, candidatePlan;
  VocabularyTensors vocabularies;
  nn::StepPlan* last = nullptr;  ///< the plan that ran last
  data::RowSet history;          ///< training rows, which tell of entities
  std::optional<EntityInputs> entities;
  std::vector<std::vector<float>> gathered;  ///< arrays of sharded tables for tensors()

  std::unique_ptr<nn::StepPlan> plan(std::vector<nn::Value> targets, std::int64_t rows,
                                     nn::PlanPurpose purpose) {
    return std::make_unique<nn::StepPlan>(
        model.graph, parameters, mesh, *communicator, *workers, std::move(targets), rows, purpose,
        longestBags(*dataset, model.columns),
        nn::StepPlan::Exchange{experiment.mesh.stackTables, experiment.mesh.overlap});
  }
  State(const experiment::Experiment& document, std::shared_ptr<const data::Dataset> data,
        mesh::DeviceMesh devices, nn::Model built)
      : experiment(document),
        dataset(std::move(data)),
        mesh(std::move(devices)),
        model(std::move(built)) {}
  Status makeParameters();
  [[nodiscard]] nn::StepInput input(const data::Batch& batch) const;
  Result<std::vector<float>> tower(nn::StepPlan& plan, nn::Value output, std::int64_t rows);
  EntityInputs& entityInputs();
  void addItemVectors(retrieval::ModelSnapshot& snapshot) const;
};

nn::StepInput Session::State::input(const data::Batch& batch) const {
  return {batch.rows,  batch.features,           batch.labels, batch.weights,
          batch.lists, experiment.training.seed, batch.serial};
}

/// Every table where the document, its layout or the planner puts it.
Status Session::State::makeParameters() {
  PARAPET_ASSIGN(const std::vector<experiment::Table> tables,
                 nn::resolvePlacements(experiment, model, mesh, batchRows, [this] {
                   return measureColumns(experiment, *dataset, batchRows);
                 }));
  const auto vectors = [this](std::string_view name) -> nn::VectorRows {
    const data::DenseMatrix found = dataset->vectors(name);
    return {found.values, found.width};
  };
  for (std::size_t i = 0; i < model.graph.parameters().size(); ++i) {
    const nn::ParameterSpec& spec = model.graph.parameters()[i];
    mesh::Sharding sharding = mesh::Sharding::replicated(spec.rows, spec.cols, mesh.ranks());
    if (i < tables.size()) {
      PARAPET_ASSIGN(sharding,
                     mesh::placeTable(tables[i], mesh, spec.rows, fmt::format("/tables/{}", i)));
    }
    std::vector<tensor::Device> devices;
    for (int shard = 0; shard < sharding.shards(); ++shard)
      devices.push_back(mesh.device(sharding.holders(shard)[0]));
    PARAPET_ASSIGN(nn::Parameter parameter,
                   nn::makeParameter(spec, sharding, devices, experiment.training.seed, vectors));
    parameters.push_back(std::move(parameter));
  }
  return {};
}

Result<std::vector<float>> Session::State::tower(nn::StepPlan& plan, nn::Value output,
                                                 std::int64_t rows) {
  const std::int64_t width = model.graph.cols(output);
  std::vector<float> out(static_cast<std::size_t>(rows * width));
  std::vector<std::int32_t> some;
  const bool users = output == model.query;
  for (std::int64_t begin = 0; begin < rows; begin += kSnapshotRows) {
    const std::int64_t count = std::min(kSnapshotRows, rows - begin);
    some.resize(static_cast<std::size_t>(count));
    std::iota(some.begin(), some.end(), static_cast<std::int32_t>(begin));
    nn::StepInput input;
    input.rows = count;
    input.features = users ? entityInputs().of(some, {}) : entityInputs().of({}, some);
    PARAPET_TRY(plan.forward(input));
    std::copy_n(plan.output(output), count * width, out.data() + begin * width);
  }
  return out;
}

EntityInputs& Session::State::entityInputs() {
  if (!entities) entities.emplace(dataset, model, experiment, history);
  return *entities;
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(const experiment::Experiment& experiment,
                                                 std::shared_ptr<const data::Dataset> dataset,
                                                 int threads) {
  PARAPET_ASSIGN(mesh::DeviceMesh mesh, mesh::DeviceMesh::create(experiment.mesh));
  PARAPET_ASSIGN(nn::Model model,
                 nn::buildModel(experiment, vocabularySizes(experiment, *dataset)));
  auto state =
      std::make_unique<State>(experiment, std::move(dataset), std::move(mesh), std::move(model));
  State& s = *state;
  s.batchRows = globalBatchRows(experiment.dataset.batch, s.mesh.ranks());
  s.workers = std::make_unique<Workers>(threads > 0 ? threads : Workers::available());
  s.communicator =
      mesh::makeLocalCommunicator(s.mesh.ranks(), {&s.mesh.device(0), s.workers.get()});
  PARAPET_TRY(s.makeParameters());
  std::vector<nn::Value> losses, outputs;
  for (const nn::Model::Head& head : s.model.heads) {
    losses.push_back(head.lossValue);
    outputs.push_back(head.lossValue);
    outputs.push_back(head.prediction);
  }
  s.trainPlan = s.plan(losses, s.batchRows, nn::PlanPurpose::kTrain);
  s.evaluatePlan = s.plan(outputs, s.batchRows, nn::PlanPurpose::kForward);
  if (s.model.kind == experiment::ModelKind::kRetrieval) {
    s.queryPlan = s.plan({s.model.query}, kSnapshotRows, nn::PlanPurpose::kForward);
    s.candidatePlan = s.plan({s.model.candidate}, kSnapshotRows, nn::PlanPurpose::kForward);
  }
  s.last = s.trainPlan.get();
  s.vocabularies = VocabularyTensors(*s.dataset);
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

const data::Dataset& Session::dataset() const {
  return *state_->dataset;
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
std::int64_t Session::batchRows() const {
  return state_->batchRows;
}

std::unique_ptr<data::BatchLoader> Session::loader(const data::Split& split, retrieval::Part part,
                                                   const std::vector<std::string>& more) const {
  const bool training = part == retrieval::Part::kTrain, test = part == retrieval::Part::kTest;
  data::RowSet rows = training ? split.train : test ? split.test : split.validation;
  const experiment::Batch& batch = state_->experiment.dataset.batch;
  data::BatchLoader::Options options;
  options.batchRows = state_->batchRows;
  options.dropRemainder = training && batch.dropRemainder;
  options.cache = batch.cache;
  options.seed = state_->experiment.training.seed;
  options.window = batch.window;
  if (!split.reshuffled) options.groupSize = batch.groupSize;
  if (training) options.fixedBatches = batch.replayBatches;
  if (split.reshuffled) {
    const data::Split::Reshuffled& drawn = *split.reshuffled;
    const data::Draw& draw = training ? drawn.train : test ? drawn.test : drawn.validation;
    rows = drawn.all;
    options.order = experiment::BatchOrder::kEpoch;
    options.seed = draw.seed;
    options.rowRange = draw.rowRange;
  } else if (training) {
    options.order = batch.shuffle;
  } else if (rows.isAscending()) {
    options.order = experiment::BatchOrder::kNone;  // nothing is gained by mixing them
  }
  std::vector<std::string> columns = state_->model.columns;
  columns.insert(columns.end(), more.begin(), more.end());
  return std::make_unique<data::BatchLoader>(state_->dataset, std::move(rows), std::move(columns),
                                             options);
}

Status Session::train(const data::Batch& batch, std::int64_t step, const data::Batch* next) {
  state_->last = state_->trainPlan.get();
  if (!next) return state_->trainPlan->train(state_->input(batch), step);
  const nn::StepInput ahead = state_->input(*next);
  return state_->trainPlan->train(state_->input(batch), step, &ahead);
}

Status Session::evaluate(const data::Batch& batch) {
  state_->last = state_->evaluatePlan.get();
  return state_->evaluatePlan->forward(state_->input(batch));
}

std::span<const nn::LossSums> Session::losses() const {
  return state_->last->losses();
}

double Session::loss() const {
  return nn::totalLoss(state_->model.graph, losses());
}

const nn::StepTimes& Session::times() const {
  return state_->trainPlan->times();
}

const nn::FeatureCounts& Session::counts(std::size_t lookup) const {
  return state_->trainPlan->counts(lookup);
}

std::vector<const mesh::TableRoutes*> Session::routes() const {
  return state_->trainPlan->routes();
}

const float* Session::predictions(std::size_t head) const {
  return state_->evaluatePlan->output(state_->model.heads.at(head).prediction);
}

void Session::useHistory(const data::RowSet& trainingRows) {
  state_->history = trainingRows;
  state_->entities.reset();
}

// Items whose embeddings point the same way are alike to the model.
void Session::State::addItemVectors(retrieval::ModelSnapshot& snapshot) const {
  for (const nn::Lookup& lookup : model.graph.lookups()) {
    if (model.columns[static_cast<std::size_t>(lookup.feature)] != model.candidateColumn) continue;
    const nn::Parameter& table = parameters[static_cast<std::size_t>(lookup.table)];
    snapshot.dim = table.spec.cols;
    snapshot.candidates.resize(static_cast<std::size_t>(table.size()));
    nn::gatherRows(table, -1, snapshot.candidates);
    return;
  }
}

Result<retrieval::ModelSnapshot> Session::snapshot() {
  State& s = *state_;
  retrieval::ModelSnapshot snapshot;
  snapshot.queryRows = s.dataset->vocabularyOf(s.model.queryColumn).size();
  snapshot.candidateRows = s.dataset->vocabularyOf(s.model.candidateColumn).size();
  if (s.model.kind == experiment::ModelKind::kRanking) {
    PARAPET_ASSIGN(snapshot.scorer,
                   RankingScorer::create(s.experiment, s.dataset, s.history, s.parameters));
    s.addItemVectors(snapshot);
    return snapshot;
  }
  snapshot.dim = s.model.graph.cols(s.model.query);
  PARAPET_ASSIGN(snapshot.queries, s.tower(*s.queryPlan, s.model.query, snapshot.queryRows));
  PARAPET_ASSIGN(snapshot.candidates,
                 s.tower(*s.candidatePlan, s.model.candidate, snapshot.candidateRows));
  return snapshot;
}

std::vector<checkpoint::TensorView> Session::tensors() {
  State& s = *state_;
  s.gathered.clear();
  std::vector<checkpoint::TensorView> out;
  for (const nn::Parameter& parameter : s.parameters)
    for (const ParameterArray& array : arraysOf(parameter)) {
      std::span<const float> values = array.whole;
      if (parameter.shards.size() > 1) {
        s.gathered.emplace_back(static_cast<std::size_t>(parameter.spec.rows * array.cols));
        nn::gatherRows(parameter, array.slot, s.gathered.back());
        values = s.gathered.back();
      }
      out.push_back({parameter.spec.name + "/" + array.name,
                     checkpoint::ElementType::kF32,
                     {parameter.spec.rows, array.cols},
                     std::as_bytes(values)});
    }
  s.vocabularies.appendTo(out);
  return out;
}

Status Session::load(const checkpoint::Checkpoint& checkpoint) {
  struct Copy {
    const checkpoint::TensorView* from;
    nn::Parameter* into;
    int slot;
  };
  std::vector<Copy> copies;
  for (nn::Parameter& parameter : state_->parameters)
    for (const ParameterArray& array : arraysOf(parameter)) {
      const std::string full = parameter.spec.name + "/" + array.name;
      const checkpoint::TensorView* found = checkpoint.find(full);
      const std::vector<std::int64_t> shape{parameter.spec.rows, array.cols};
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
      copies.push_back({found, &parameter, array.slot});
    }
  for (const Copy& copy : copies)
    nn::scatterRows(*copy.into, copy.slot,
                    {reinterpret_cast<const float*>(copy.from->bytes.data()),
                     copy.from->bytes.size() / sizeof(float)});
  return {};
}

bool Session::weightsFinite() const {
  return std::all_of(
      state_->parameters.begin(), state_->parameters.end(), [](const nn::Parameter& parameter) {
        return std::ranges::all_of(parameter.shards, [](const nn::ParameterShard& shard) {
          return std::ranges::all_of(shard.weight.host(),
                                     [](float value) { return std::isfinite(value); });
        });
      });
}

std::map<std::string, std::int64_t> vocabularySizes(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset) {
  std::map<std::string, std::int64_t> sizes;
  for (const experiment::Vocabulary& vocabulary : experiment.dataset.vocabularies)
    sizes[vocabulary.name] = dataset.vocabulary(vocabulary.name).size();
  return sizes;
}

std::vector<std::int64_t> longestBags(const data::Dataset& dataset,
                                      const std::vector<std::string>& columns) {
  std::vector<std::int64_t> longest;
  for (const std::string& column : columns) {
    const data::IdColumnInfo* info = dataset.idColumn(column);
    // Even bags that never hold more than one id may be empty: a plan for two knows of bags.
    const bool bag = info && info->longestBag > 0;
    longest.push_back(bag ? std::max<std::int64_t>(2, info->longestBag) : 1);
  }
  return longest;
}

std::int64_t globalBatchRows(const experiment::Batch& batch, std::int64_t ranks) {
  return batch.perDevice ? *batch.perDevice * ranks : batch.size.value_or(1);
}

}  // namespace parapet::train

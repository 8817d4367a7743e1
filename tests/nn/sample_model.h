// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/random.h"
#include "engine/mesh/placement.h"
#include "engine/nn/model.h"
#include "engine/nn/step_runner.h"

/// Small models, batches for them, and what it takes to train one.
namespace parapet::sample {

inline constexpr std::int64_t kUsers = 11, kItems = 7;

inline experiment::Optimizer sgd(double rate) {
  experiment::Optimizer optimizer;
  optimizer.kind = experiment::OptimizerKind::kSgd;
  optimizer.learningRate = rate;
  return optimizer;
}

inline experiment::Table table(const std::string& name, std::int64_t dim) {
  experiment::Table table;
  table.name = table.vocabulary = name;
  table.embeddingDim = dim;
  table.initializer.min = -0.8;
  table.initializer.max = 0.8;
  return table;
}

/// One user table, one item table, score their dot product.
inline experiment::Experiment plainDot(std::int64_t dim = 4) {
  experiment::Experiment experiment;
  experiment.tables = {table("user", dim), table("item", dim)};
  experiment.features = {{"user", "user", "user", experiment::Tower::kQuery},
                         {"item", "item", "item", experiment::Tower::kCandidate}};
  experiment.optimizer = sgd(0.1);
  return experiment;
}

/// Two dense layers on the query side, one on the other.
inline experiment::Experiment denseTowers(experiment::Activation activation, std::int64_t dim = 4) {
  experiment::Experiment experiment = plainDot(dim);
  experiment.model.query = {{.units = dim + 2, .activation = activation},
                            {.units = 3, .activation = activation, .useBias = false}};
  experiment.model.candidate = {{.units = 3, .activation = activation}};
  return experiment;
}

/// Two query features and the candidate feature share the user table.
inline experiment::Experiment sharedTable() {
  experiment::Experiment experiment = denseTowers(experiment::Activation::kTanh);
  experiment.features.push_back({"again", "user", "user", experiment::Tower::kQuery});
  experiment.features[1].table = "user";
  experiment.tables.pop_back();
  return experiment;
}

/// Ids by feature, labels and weights of a global batch.
struct Batch {
  std::int64_t rows = 0;
  std::vector<std::vector<std::int32_t>> ids;
  std::vector<float> labels, weights;
  std::vector<data::FeatureIds> features{};          ///< views of ids
  std::vector<float> itemLogQ{};                     ///< of every row that a table may have
  std::int64_t examples = -1;                        ///< the others are extra negatives
  std::vector<std::vector<float>> dense{};           ///< of dense features, which come last
  std::vector<std::vector<std::int32_t>> offsets{};  ///< by feature with ids; empty: one id a row

  nn::StepBatch input() {
    features.clear();
    for (std::size_t i = 0; i < ids.size(); ++i)
      features.push_back(
          {.ids = ids[i],
           .offsets = i < offsets.size() ? offsets[i] : std::span<const std::int32_t>{}});
    for (const auto& of : dense) features.push_back({.ids = {}, .dense = of});
    nn::StepBatch input{rows, features, labels, weights};
    input.examples = examples;
    input.itemLogQ = itemLogQ;
    return input;
  }
};

/// Max. ids of an example by feature: of sequences one more than is used.
inline std::vector<std::int64_t> idsPerRow(const nn::Model& model) {
  std::vector<std::int64_t> most;
  for (const nn::Lookup& lookup : model.graph.lookups())
    most.push_back(lookup.sequence ? lookup.maxLength + 1 : 1);
  for (const nn::RowSpaceSpec& rows : model.graph.rowSpaces())
    if (rows.positionsOf >= 0) most.insert(most.end(), 2, rows.maxPerExample);
  return most;
}

/// Adds positions of a sequence that are selected, none in some rows, and a label for each.
inline void selectPositions(Batch& batch, const nn::RowSpaceSpec& rows, const Random& random) {
  const auto sequence = static_cast<std::size_t>(rows.positionsOf);
  std::vector<std::int32_t> positions, labels, ends{0};
  for (std::size_t row = 0; row < static_cast<std::size_t>(batch.rows); ++row) {
    std::int64_t selected = 0;
    for (std::int32_t id = batch.offsets[sequence][row]; id < batch.offsets[sequence][row + 1];
         ++id) {
      const auto draw = random.below(static_cast<std::uint64_t>(id) + 100'000, 3);
      if (draw == 0 || selected == rows.maxPerExample) continue;
      ++selected;
      positions.push_back(id);
      labels.push_back(static_cast<std::int32_t>((id * 7 + static_cast<int>(draw)) % kUsers));
    }
    ends.push_back(static_cast<std::int32_t>(positions.size()));
  }
  for (auto* ids : {&positions, &labels}) {
    batch.ids.push_back(*ids);
    batch.offsets.push_back(ends);
  }
}

/// Every feature has ids of its own; sequences have none in some rows, and too many in others.
inline Batch batchOf(const nn::Model& model, std::int64_t rows, std::uint64_t seed) {
  const Random random(seed, RandomPurpose::kSampling);
  Batch batch{rows, {}, {}, {}};
  std::uint64_t index = 0;
  // The selected ids lie among those that are read.
  const bool selects = std::ranges::any_of(
      model.graph.rowSpaces(), [](const nn::RowSpaceSpec& of) { return of.positionsOf >= 0; });
  const std::uint64_t tooMany = selects ? 1 : 2;
  for (const nn::Lookup& lookup : model.graph.lookups()) {
    auto& ids = batch.ids.emplace_back();
    const auto bound = static_cast<std::uint64_t>(
        model.graph.parameters()[static_cast<std::size_t>(lookup.table)].rows);
    auto& offsets = batch.offsets.emplace_back();
    if (lookup.sequence) offsets.push_back(0);
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto count =
          lookup.sequence
              ? random.below(index++, static_cast<std::uint64_t>(lookup.maxLength) + tooMany)
              : 1;
      for (std::uint64_t i = 0; i < count; ++i)
        ids.push_back(static_cast<std::int32_t>(random.below(index++, bound)));
      if (lookup.sequence) offsets.push_back(static_cast<std::int32_t>(ids.size()));
    }
  }
  for (const nn::RowSpaceSpec& of : model.graph.rowSpaces())
    if (of.positionsOf >= 0) selectPositions(batch, of, random);
  for (std::int64_t row = 0; row < rows; ++row) batch.labels.push_back(random.uniform(index++));
  for (std::size_t i = 0; i < model.fitted.size(); ++i) {
    auto& values = batch.dense.emplace_back();
    for (std::int64_t row = 0; row < rows; ++row)
      values.push_back(20.0f * random.uniform(index++) - 10.0f);
  }
  std::int64_t most = 1;
  for (const nn::ParameterSpec& spec : model.graph.parameters()) most = std::max(most, spec.rows);
  for (std::int64_t item = 0; item < most; ++item)
    batch.itemLogQ.push_back(std::log(static_cast<float>(1 + item % 5) / 20.0f));
  return batch;
}

inline nn::Model build(const experiment::Experiment& experiment, std::int64_t users = kUsers,
                       std::int64_t items = kItems) {
  return nn::buildModel(experiment, {{"user", users}, {"item", items}}).value();
}

/// A model with all that a training step needs.
struct Trainer {
  nn::Model model;
  mesh::DeviceMesh mesh;
  std::vector<nn::Parameter> parameters;
  Workers workers;
  std::unique_ptr<mesh::Communicator> communicator;
  nn::StepTask task;
  nn::StepRunner plan;

  Trainer(nn::Model built, int ranks, int threads, std::int64_t capacity,
          std::vector<std::int64_t> idsPerRow = {},
          experiment::Placement placement = experiment::Placement::kReplicated,
          experiment::MemorySpaces spaces = experiment::MemorySpaces::kShared)
      : Trainer(std::move(built), meshOf(ranks, spaces), threads, capacity, std::move(idsPerRow),
                placement) {}
  /// `ranks`: their communicator; null: that of this process.
  Trainer(nn::Model built, mesh::DeviceMesh on, int threads, std::int64_t capacity,
          std::vector<std::int64_t> idsPerRow = {},
          experiment::Placement placement = experiment::Placement::kReplicated,
          std::unique_ptr<mesh::Communicator> ranks = nullptr)
      : model(std::move(built)),
        mesh(std::move(on)),
        parameters(makeParameters(model.graph, mesh, placement)),
        workers(threads),
        communicator(ranks ? std::move(ranks)
                           : mesh::makeLocalCommunicator(mesh.devices(), &workers)),
        task{.targets = targetsOf(model),
             .capacityRows = capacity,
             .purpose = nn::StepPurpose::kTrain,
             .idsPerRow = std::move(idsPerRow)},
        plan(model.graph, parameters, mesh, *communicator, workers, task) {}

  /// Values that a session reads after every step: losses, and the predictions that tell the accuracy.
  static std::vector<nn::Value> targetsOf(const nn::Model& model) {
    std::vector<nn::Value> targets{model.heads[0].lossValue};
    if (model.heads[0].loss.kind == experiment::LossKind::kBce)
      targets.push_back(model.heads[0].prediction);
    return targets;
  }

  static std::vector<nn::Parameter> makeParameters(const nn::Graph& graph,
                                                   const mesh::DeviceMesh& mesh,
                                                   experiment::Placement placement) {
    std::vector<nn::Parameter> made;
    for (const nn::ParameterSpec& spec : graph.parameters()) {
      const bool isSplit = spec.sparse && placement != experiment::Placement::kReplicated &&
                           !graph.readsWhole(static_cast<nn::ParameterIndex>(made.size()));
      experiment::Table table;
      table.embeddingDim = spec.cols;
      table.placement = placement;
      const mesh::Sharding placed =
          isSplit ? mesh::placeTable(table, mesh, spec.rows, "").value()
                  : mesh::Sharding::replicated(spec.rows, spec.cols, mesh.ranks());
      const mesh::Sharding sharding = mesh::heldSharding(placed, mesh);
      made.push_back(
          nn::makeParameter(spec, sharding, mesh::devicesOf(sharding, mesh), 42).value());
    }
    return made;
  }

  static mesh::DeviceMesh meshOf(int ranks, experiment::MemorySpaces spaces) {
    experiment::Mesh mesh;
    mesh.devices = {"cpu*" + std::to_string(ranks)};
    mesh.spaces = spaces;
    return mesh::DeviceMesh::create(mesh).value();
  }

  /// Weights of all parameters, in their order.
  [[nodiscard]] std::vector<std::vector<float>> weights() const {
    std::vector<std::vector<float>> all;
    for (const nn::Parameter& parameter : parameters)
      all.push_back(tensor::readBack(parameter.whole().weight));
    return all;
  }
  /// The loss of the last step.
  [[nodiscard]] nn::LossSums loss() const { return plan.losses()[0]; }
};

}  // namespace parapet::sample

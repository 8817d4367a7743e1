// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/model_shape.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

constexpr const char* kLossesOfRows = "\"mse\", \"bce\" or a loss over lists";

bool hasWeights(const Layer& layer) {
  return layer.kind == LayerKind::kDense || layer.kind == LayerKind::kFeatureCross ||
         layer.kind == LayerKind::kBatchNorm || layer.kind == LayerKind::kLayerNorm;
}

void checkLayers(const std::vector<Layer>& layers, const Location& location) {
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const Initializer& initializer = layers[index].initializer;
    const Location at = location / index / "initializer";
    validateInitializer(initializer, at);
    if (initializer.kind == InitializerKind::kVectors)
      (at / "kind").problem("vectors are of ids, and a layer has none", "any other kind");
    if (initializer.kind == InitializerKind::kFile && layers[index].projectionDim)
      (at / "kind")
          .problem("a cross of low rank has two kernels, and a file one array",
                   "any other kind, or projection_dim null");
  }
}

/// The last layer of a score under bce gives its logit; the loss applies the sigmoid.
void checkLogit(const Loss& loss, const std::vector<Layer>& layers, const Location& location) {
  if (loss.kind != LossKind::kBce || layers.empty() || layers.back().kind != LayerKind::kDense)
    return;
  if (layers.back().activation == Activation::kSigmoid)
    (location / (layers.size() - 1) / "activation")
        .warning("bce applies a sigmoid too: the probability is the sigmoid of a sigmoid",
                 "\"linear\"");
}

/// A loss, and the labels that it compares with: those of a column, or 1 for every row.
void checkLoss(const Experiment& experiment, const Loss& loss, bool hasLabels,
               const Location& location) {
  const auto& list = experiment.dataset.batch.listLength;
  const Location at = location / "kind";
  if (isOverLists(loss.kind) && !list)
    at.problem("the loss is over lists, and batches have none",
               "a /dataset/batch/list_length, or \"mse\" or \"bce\"");
  if (isOverLists(loss.kind) && !hasLabels)
    at.problem("every label is 1, so no row of a list is above another",
               "a label, or \"mse\", \"bce\" or \"in_batch_softmax\"");
  if (loss.kind == LossKind::kBce && !hasLabels)
    at.warning("every label is 1: the loss falls as scores grow, whatever the row");
  if (loss.weight == 0.0)
    (location / "weight").warning("the loss is measured and trains nothing", "a number above 0");
}

void checkScore(const Experiment& experiment, const Location& root) {
  const bool labels = experiment.dataset.label.column.has_value();
  checkLoss(experiment, experiment.loss, labels, root / "loss");
  if (experiment.loss.kind == LossKind::kInBatchSoftmax &&
      experiment.model.kind != ModelKind::kRetrieval)
    (root / "loss" / "kind")
        .problem("it compares the outputs of two towers, and the model has none",
                 std::string(kLossesOfRows) + ", or model kind \"retrieval\"");
  if (experiment.loss.kind == LossKind::kInBatchSoftmax && experiment.dataset.batch.size == 1)
    (root / "loss" / "kind")
        .problem("a batch of one row has no other candidate", "a /dataset/batch/size above 1");
}

void checkHead(const Experiment& experiment, const Head& head, const Location& at) {
  checkLayers(head.layers, at / "layers");
  checkLogit(head.loss, head.layers, at / "layers");
  checkLoss(experiment, head.loss, head.label || experiment.dataset.label.column, at / "loss");
  if (head.loss.kind == LossKind::kInBatchSoftmax)
    (at / "loss" / "kind")
        .problem("it compares the outputs of two towers, which /loss does", kLossesOfRows);
  const std::vector<std::string> numbers = experiment.dataset.numberColumns();
  if (head.label && experiment.dataset.roleOf(*head.label) != ColumnRole::kNumber)
    (at / "label")
        .problem("no column of numbers is named \"" + *head.label + "\"" +
                     didYouMean(*head.label, numbers),
                 numbers.empty() ? "null, or a column with the role \"number\"; there is none"
                                 : "null, or one of: " + join(numbers));
}

void checkLists(const Experiment& experiment, const Location& location) {
  const Batch& batch = experiment.dataset.batch;
  if (!batch.listLength) return;
  const auto& heads = experiment.model.heads;
  const bool used =
      isOverLists(experiment.loss.kind) ||
      std::ranges::any_of(heads, [](const Head& head) { return isOverLists(head.loss.kind); });
  if (!used) location.warning("not used: no loss is over lists", "null");
  // Devices that are none were noted with the mesh.
  const auto devices = expandDevices(experiment.mesh.devices);
  std::optional<std::int64_t> rows = batch.size;
  if (batch.perDevice)
    rows = devices.ok()
               ? std::optional(*batch.perDevice * static_cast<std::int64_t>(devices->size()))
               : std::nullopt;
  if (rows && *batch.listLength > *rows)
    location.problem(
        fmt::format("a list of {} rows is longer than a batch of {}", *batch.listLength, *rows),
        fmt::format("at most {}", *rows));
}

void checkTrainable(const Experiment& experiment, const Location& root) {
  const auto any = [](const std::vector<Layer>& layers) {
    return std::ranges::any_of(
        layers, [](const Layer& layer) { return hasWeights(layer) && layer.trainable; });
  };
  const Model& model = experiment.model;
  const bool trains =
      std::ranges::any_of(experiment.tables, [](const Table& table) { return table.trainable; }) ||
      any(model.query) || any(model.candidate) || any(model.layers) ||
      std::ranges::any_of(model.heads, [&](const Head& head) { return any(head.layers); });
  if (!trains)
    (root / "tables").warning("no table and no layer is trainable: the run changes nothing");
}

}  // namespace

void validateModel(const Experiment& experiment, const Location& root) {
  const Model& model = experiment.model;
  const Location location = root / "model";
  checkLayers(model.query, location / "query");
  checkLayers(model.candidate, location / "candidate");
  checkLayers(model.layers, location / "layers");
  checkLogit(experiment.loss, model.layers, location / "layers");
  checkScore(experiment, root);
  refuseDuplicateNames(model.heads, location / "heads");
  for (std::size_t index = 0; index < model.heads.size(); ++index)
    checkHead(experiment, model.heads[index], location / "heads" / index);
  checkLists(experiment, root / "dataset" / "batch" / "list_length");
  checkTrainable(experiment, root);
  inferModel(experiment, root);
}

}  // namespace parapet::experiment

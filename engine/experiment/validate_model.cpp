// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/text.h"
#include "engine/experiment/bert_layout.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/layer_kind.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/model_shape.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

constexpr const char* kPredictingLosses = "\"mse\", \"bce\" or a listwise loss";

void checkLayers(const std::vector<Layer>& layers, const Location& location) {
  for (std::size_t index = 0; index < layers.size(); ++index) {
    const Initializer& initializer = layers[index].initializer;
    const Location at = location / index / "initializer";
    validateInitializer(initializer, at);
    if (initializer.kind == InitializerKind::kVectors)
      (at / "kind")
          .problem("pretrained embeddings belong to ids, and a layer has none", "any other kind");
    const std::ptrdiff_t kernels = std::ranges::count(
        weightsOf(layers[index]), LayerWeight::Start::kInitializer, &LayerWeight::start);
    if (initializer.kind == InitializerKind::kFile && kernels > 1)
      (at / "kind")
          .problem(fmt::format("the layer has {} kernels, and a file one array",
                               kernels == 2 ? "two" : fmt::to_string(kernels)),
                   layers[index].projectionDim ? "any other kind, or projection_dim null"
                                               : "any other kind");
  }
}

/// With bce the last layer of a score outputs the logit; the loss applies the sigmoid.
void checkLogit(const Loss& loss, const std::vector<Layer>& layers, const Location& location) {
  if (!traitsOf(loss.kind).takesLogits || layers.empty() || layers.back().kind != LayerKind::kDense)
    return;
  if (layers.back().activation == Activation::kSigmoid)
    (location / (layers.size() - 1) / "activation")
        .warning("bce applies a sigmoid too: the probability is the sigmoid of a sigmoid",
                 "\"linear\"");
}

/// A loss and its labels: those of a column, or 1 for every example.
void checkLoss(const Experiment& experiment, const Loss& loss, bool hasLabels,
               const Location& location) {
  const auto& list = experiment.dataset.batch.groupSize;
  const Location at = location / "kind";
  if (isListwise(loss.kind) && !list)
    at.problem("the loss is listwise, and batches have no groups",
               "a /dataset/batch/group_size, or \"mse\" or \"bce\"");
  if (isListwise(loss.kind) && !hasLabels)
    at.problem("every label is 1, so no example of a group ranks above another",
               acceptedWithoutLabels(experiment.model.kind));
  if (traitsOf(loss.kind).takesLogits && !hasLabels)
    at.warning("every label is 1: the loss falls as scores grow, whatever the example",
               acceptedWithoutLabels(experiment.model.kind));
  if (traitsOf(loss.kind).takesValues() && !hasLabels)
    at.warning("every label is 1: the loss is least where every score is 1, whatever the example",
               acceptedWithoutLabels(experiment.model.kind));
  if (loss.temperature.trainable && !usesNegatives(loss.kind))
    (location / "temperature" / "trainable")
        .problem("a listwise loss does not train its temperature",
                 "false, or a loss with negatives, such as \"in_batch_softmax\"");
  if (loss.weight == 0.0)
    (location / "weight")
        .warning("the loss has weight 0, so it is measured and does not train", "a number above 0");
}

/// Fewest examples that meet each other's candidates in a full batch; nullopt if that is unknown.
std::optional<std::int64_t> examplesTogether(const Experiment& experiment,
                                             const DocumentIndex& names) {
  if (experiment.loss.negatives == NegativeScope::kGlobal) return names.batchSize;
  if (experiment.dataset.batch.perDevice) return experiment.dataset.batch.perDevice;
  if (!names.batchSize || names.devices.empty()) return std::nullopt;
  return *names.batchSize / static_cast<std::int64_t>(names.devices.size());
}

void checkNegatives(const Experiment& experiment, const DocumentIndex& names,
                    const Location& location) {
  const Loss& loss = experiment.loss;
  const LossTraits& traits = traitsOf(loss.kind);
  const std::int64_t extra = loss.extraNegatives ? loss.extraNegatives->count : 0;
  if (!meetsBatch(loss) && extra == 0)
    (location / "extra_negatives")
        .problem("the loss compares with extra negatives alone, and there are none",
                 fmt::format(R"({{"count": 256, "from": "{}"}})",
                             loss.calibration > 0.0 ? "uniform" : "popularity"));
  if (loss.calibration > 0.0 && loss.extraNegatives &&
      loss.extraNegatives->from != NegativeSource::kUniform)
    (location / "extra_negatives" / "from")
        .problem("calibration takes it that every item is drawn alike", "\"uniform\"");
  if (loss.calibration > 0.0 && loss.hardNegatives)
    (location / "hard_negatives")
        .problem("the hardest negatives are no sample of the catalogue, which calibration needs",
                 "null, or calibration 0");
  std::optional<std::int64_t> others = 0;
  if (meetsBatch(loss)) {
    const auto together = examplesTogether(experiment, names);
    others = together ? std::optional(*together - 1) : std::nullopt;
    if (others && *others < 1 && loss.negatives == NegativeScope::kDevice)
      (location / "negatives")
          .problem("a device with one example has no other candidate",
                   "\"global\", or a batch of at least 2 examples per device");
    else if (others && *others < 1 && extra == 0)
      (location / "kind")
          .problem("a batch of one example has no other candidate",
                   "a /dataset/batch/size above 1, or extra_negatives");
  }
  const bool known = others && *others + extra > 0;
  if (loss.hardNegatives && known && *loss.hardNegatives > *others + extra)
    (location / "hard_negatives")
        .problem(fmt::format("{} of the {} negatives that a query has", *loss.hardNegatives,
                             *others + extra),
                 fmt::format("1 … {}, or null for all", *others + extra));
  if (!traits.isSoftmax || loss.logQ != LogQ::kCorrected) return;
  if (loss.accidentalHits == AccidentalHits::kKeep)
    (location / "accidental_hits")
        .warning("the corrected log-Q takes it that hits are left out: kept ones add bias",
                 "\"mask\"");
  if (loss.hardNegatives)
    (location / "log_q")
        .warning(
            "the hardest negatives are no sample of the catalogue, so the correction does not "
            "remove the bias",
            "\"standard\", or hard_negatives null");
}

/// The tokens of a masked language model: as long as the lines are, in a table in one piece.
void checkMasked(const Experiment& experiment, const DocumentIndex& names, const Location& root) {
  if (experiment.loss.reduction == Reduction::kSum)
    (root / "loss" / "reduction")
        .warning("the loss grows with the masked tokens of a batch", "\"mean\"");
  const Dataset& dataset = experiment.dataset;
  for (std::size_t index = 0; index < experiment.features.size(); ++index) {
    const Feature& feature = experiment.features[index];
    if (!feature.sequence) continue;
    const Location at = root / "features" / index;
    const std::int64_t longest = dataset.text ? dataset.text->maxLength : 0;
    if (feature.maxLength.value_or(0) < longest)
      (at / "max_length")
          .problem(
              fmt::format("lines have up to {} tokens, and masks lie anywhere in them", longest),
              fmt::format("{} and more", longest));
    const Table* const table = names.tables.find(feature.table);
    if (table == nullptr) continue;
    const auto position = static_cast<std::size_t>(table - experiment.tables.data());
    // A layout places tables, too.
    const Placement placement = withLayout(experiment)[position].placement;
    if (placement != Placement::kAuto && placement != Placement::kReplicated)
      (root / "tables" / position / "placement")
          .problem("the output is multiplied with the whole table, so it is in one piece",
                   "\"replicated\" or \"auto\"");
  }
}

void checkScore(const Experiment& experiment, const DocumentIndex& names, const Location& root) {
  const bool labels = experiment.dataset.label.column.has_value();
  const bool isMasked = readsText(experiment.model.kind);
  if (isMasked != isOfTokens(experiment.loss.kind)) {
    (root / "loss" / "kind")
        .problem(isMasked ? "a masked language model predicts tokens of a vocabulary"
                          : "it needs masked tokens, and the model has none",
                 isMasked ? "\"vocabulary_softmax\""
                          : std::string(kPredictingLosses) + ", or model kind \"masked_lm\"");
    return;
  }
  if (isMasked) return checkMasked(experiment, names, root);
  checkLoss(experiment, experiment.loss, labels, root / "loss");
  if (!usesNegatives(experiment.loss.kind)) return;
  if (!hasTowers(experiment.model.kind))
    (root / "loss" / "kind")
        .problem("it compares the outputs of two towers, and the model has none",
                 std::string(kPredictingLosses) + ", or model kind \"retrieval\"");
  else if (traitsOf(experiment.loss.kind).ofCosines && experiment.model.score != Score::kCosine)
    (root / "model" / "score")
        .problem("the loss compares cosines, and this score is a dot product of any size",
                 "\"cosine\"");
  checkNegatives(experiment, names, root / "loss");
}

void checkHead(const Experiment& experiment, const DocumentIndex& names, const Head& head,
               const Location& at) {
  checkLayers(head.layers, at / "layers");
  checkLogit(head.loss, head.layers, at / "layers");
  checkLoss(experiment, head.loss, head.label || experiment.dataset.label.column, at / "loss");
  if (usesNegatives(head.loss.kind))
    (at / "loss" / "kind")
        .problem("it compares the outputs of two towers, which /loss does", kPredictingLosses);
  const std::vector<std::string>& numbers = names.numericColumns;
  if (head.label && names.roleOf(*head.label) != ColumnRole::kNumeric)
    (at / "label")
        .problem(
            "no numeric column is named \"" + *head.label + "\"" + hint(*head.label, numbers, at),
            numbers.empty() ? "null, or a column with the role \"number\"; there is none"
                            : "null, or " + oneOf(numbers));
}

void checkGroups(const Experiment& experiment, const DocumentIndex& names,
                 const Location& location) {
  const Batch& batch = experiment.dataset.batch;
  if (!batch.groupSize) return;
  const auto& heads = experiment.model.heads;
  const bool used =
      isListwise(experiment.loss.kind) ||
      std::ranges::any_of(heads, [](const Head& head) { return isListwise(head.loss.kind); });
  if (!used) location.warning("not used: no loss is listwise", "null");
  if (names.batchSize && *batch.groupSize > *names.batchSize)
    location.problem(fmt::format("a group of {} examples is larger than a batch of {}",
                                 *batch.groupSize, *names.batchSize),
                     fmt::format("at most {}", *names.batchSize));
}

void checkTrainable(const Experiment& experiment, const DocumentIndex& names,
                    const Location& root) {
  // A table that a feature names may be trainable, once there is one.
  if (names.lacksTables || std::ranges::any_of(experiment.features, [&](const Feature& feature) {
        return !feature.table.empty() && names.tables.find(feature.table) == nullptr;
      }))
    return;
  if (!anyLayer(experiment.model, isTrained) &&
      std::ranges::none_of(experiment.tables, [](const Table& table) { return table.trainable; }))
    (root / "tables")
        .warning("no table and no layer is trainable: the run does not change the model");
}

/// A file of BERT fits a model of the same layers alone.
void checkWeights(const Experiment& experiment, const Location& root) {
  if (!experiment.model.weights) return;
  const Location at = root / "model" / "weights";
  if (experiment.model.weights->empty())
    return at.problem("no file is named", "a safetensors file, or null for the initializers");
  if (experiment.training.fork)
    at.warning("not used: the run begins with the weights of /training/fork", "null");
  bertLayout(experiment, root);
}

}  // namespace

void validateModel(const Experiment& experiment, const DocumentIndex& index, const Location& root) {
  const Model& model = experiment.model;
  const Location location = root / "model";
  checkLayers(model.query, location / "query");
  checkLayers(model.candidate, location / "candidate");
  checkLayers(model.layers, location / "layers");
  checkLayers(model.maskedLayers, location / "masked_layers");
  checkLogit(experiment.loss, model.layers, location / "layers");
  checkScore(experiment, index, root);
  refuseDuplicateNames(model.heads, location / "heads");
  for (std::size_t head = 0; head < model.heads.size(); ++head)
    checkHead(experiment, index, model.heads[head], location / "heads" / head);
  checkGroups(experiment, index, root / "dataset" / "batch" / "group_size");
  checkTrainable(experiment, index, root);
  inferModel(experiment, root);
  checkWeights(experiment, root);
}

}  // namespace parapet::experiment

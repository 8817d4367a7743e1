// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/record/problem.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/model_shape.h"
#include "engine/experiment/name_index.h"
#include "engine/experiment/query_context.h"
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/sequence_layers.h"

namespace parapet::nn {
namespace {

using experiment::Experiment;
using experiment::Layer;
using experiment::LayerKind;
using experiment::ShapeIndex;
using experiment::ShapeLayer;

using record::documentError;

/// Follows the shape of a model and adds a node, or a few, for everything in it.
class Builder {
 public:
  Builder(const Experiment& experiment, const std::map<std::string, std::int64_t>& vocabularySizes)
      : experiment_(experiment),
        sizes_(vocabularySizes),
        tables_(experiment.tables),
        vocabularies_(experiment.dataset.vocabularies),
        shape_(experiment::inferModel(experiment)),
        values_(shape_.values.size(), -1) {}

  Result<Model> run() {
    model_.kind = experiment_.model.kind;
    if (experiment_.training.precision == experiment::Precision::kBf16)
      model_.graph.setPrecision(tensor::Precision::kBf16);
    if (experiment_.training.precision == experiment::Precision::kTf32)
      model_.graph.setPrecision(tensor::Precision::kTf32);
    PARAPET_TRY(addTables());
    PARAPET_TRY(addFeatures());
    for (const ShapeLayer& layer : shape_.layers) {
      if (layer.inputs.front() == shape_.masked) selectMasked();
      values_[at(layer.output)] = addLayer(layer);
      endOrigin(layer.pointer);
    }
    if (experiment::readsText(model_.kind)) {
      PARAPET_TRY(addVocabularyLoss());
      endOrigin("/loss");
      return std::move(model_);
    }
    if (experiment::hasTowers(model_.kind)) {
      if (shape_.query < 0 || shape_.candidate < 0)
        return documentError("/features", "a tower has no feature");
      model_.query = value(shape_.query);
      model_.candidate = value(shape_.candidate);
      if (experiment_.model.score == experiment::Score::kCosine) {
        model_.query = l2Normalize(model_.graph, "query/norm", model_.query);
        model_.candidate = l2Normalize(model_.graph, "candidate/norm", model_.candidate);
      }
      model_.score = dot(model_.graph, "score", model_.query, model_.candidate);
    } else {
      if (shape_.score < 0) return documentError("/model/layers", "the model has no score");
      model_.score = value(shape_.score);
    }
    endOrigin("/model/score");
    addHead("", experiment_.loss, model_.score, std::nullopt);
    endOrigin("/loss");
    for (const experiment::ShapeHead& head : shape_.heads) {
      addHead(head.head->name, head.head->loss, value(head.prediction), head.head->label);
      endOrigin(head.pointer + "/loss");
    }
    return std::move(model_);
  }

 private:
  /// The nodes that were added since the last call come from there.
  void endOrigin(std::string pointer) {
    model_.origins.push_back({model_.graph.nodes().size(), std::move(pointer)});
  }

  [[nodiscard]] Value value(ShapeIndex index) const { return values_.at(at(index)); }

  /// The optimizer of a parameter, with its schedule filled in.
  [[nodiscard]] experiment::Optimizer optimizer(
      const std::string& parameter,
      const std::optional<experiment::Optimizer>& own = std::nullopt) const {
    experiment::Optimizer chosen = own.value_or(experiment_.optimizer);
    if (!chosen.schedule) chosen.schedule = experiment_.schedule;
    const auto isExcluded = [&](const std::string& pattern) {
      return experiment::matches(pattern, parameter);
    };
    if (std::ranges::any_of(chosen.decayExclude, isExcluded)) chosen.weightDecay = 0.0;
    return chosen;
  }

  /// A parameter per table of the document, in its order.
  Status addTables() {
    for (std::size_t i = 0; i < experiment_.tables.size(); ++i) {
      const experiment::Table& table = experiment_.tables[i];
      const auto size = sizes_.find(table.vocabulary);
      if (size == sizes_.end())
        return documentError(fmt::format("/tables/{}/vocabulary", i),
                             fmt::format("vocabulary \"{}\" has no size", table.vocabulary));
      const std::string name = "tables/" + table.name;
      model_.graph.addParameter({.name = name,
                                 .rows = size->second,
                                 .cols = table.embeddingDim,
                                 .initializer = table.initializer,
                                 .optimizer = optimizer(name, table.optimizer),
                                 .optimizerGroup = table.optimizer ? static_cast<int>(i) + 1 : 0,
                                 .trainable = table.trainable,
                                 .sparse = true,
                                 .cacheRows = table.cacheRows.value_or(0)});
    }
    return {};
  }

  Status addFeatures() {
    for (std::size_t i = 0; i < experiment_.features.size(); ++i) {
      const experiment::Feature& feature = experiment_.features[i];
      const std::string name = "features/" + feature.name;
      const auto index = static_cast<std::int32_t>(i);
      model_.columns.push_back(experiment::batchColumn(feature));
      if (feature.table.empty()) {
        values_[i] = addNumeric(name, index, feature);
        endOrigin(fmt::format("/features/{}", i));
        continue;
      }
      const experiment::Table* table = tables_.find(feature.table);
      if (table == nullptr)
        return documentError(fmt::format("/features/{}/table", i),
                             fmt::format("no table is named \"{}\"", feature.table));
      values_[i] = lookup(model_.graph, name,
                          {.table = static_cast<ParameterIndex>(table - experiment_.tables.data()),
                           .feature = index,
                           .output = -1,
                           .combiner = table->combiner,
                           .maxLength = longest(feature),
                           .truncationSide = feature.truncationSide,
                           .weighted = feature.weighted,
                           .firstBucket = firstBucket(table->vocabulary),
                           .rowZeroIsId = rowZeroIsId(table->vocabulary),
                           .sequence = feature.sequence});
      endOrigin(fmt::format("/features/{}", i));
    }
    model_.queryColumn = columnOfRole(experiment::ColumnRole::kUser, "user");
    model_.candidateColumn = columnOfRole(experiment::ColumnRole::kItem, "item");
    return {};
  }

  /// Ids of an example that are used; 0: all. A history has no more than its length.
  [[nodiscard]] static std::int64_t longest(const experiment::Feature& feature) {
    if (!feature.history) return feature.maxLength.value_or(0);
    return feature.sequence ? feature.history->length : 0;
  }

  /// A dense feature; what its transform is fitted to is a state of the model.
  Value addNumeric(const std::string& name, std::int32_t index,
                   const experiment::Feature& feature) {
    if (!experiment::isFitted(feature.transform))
      return numeric(model_.graph, name, index, feature.transform);
    const bool moments = feature.transform == experiment::NumericTransform::kStandardize;
    const ParameterIndex fitted = addState(fmt::format("fitted/{}", feature.name),
                                           moments ? kMomentColumns : kQuantileKnots, 1.0);
    model_.fitted.push_back({static_cast<std::size_t>(index), fitted});
    return fittedNumeric(model_.graph, name, index, feature.transform, fitted);
  }

  /// First row of the buckets for unknown ids, which end a vocabulary; 0 if it has none.
  [[nodiscard]] std::int64_t firstBucket(const std::string& name) const {
    const experiment::Vocabulary* found = vocabularies_.find(name);
    const auto size = sizes_.find(name);
    if (found == nullptr || size == sizes_.end() ||
        found->oovKind() != experiment::OovKind::kBuckets)
      return 0;
    return size->second - found->oovBuckets;
  }

  [[nodiscard]] bool rowZeroIsId(const std::string& name) const {
    const experiment::Vocabulary* found = vocabularies_.find(name);
    return found != nullptr && experiment::usesRowZero(experiment_.dataset, *found);
  }

  [[nodiscard]] std::string columnOfRole(experiment::ColumnRole role,
                                         const std::string& standard) const {
    for (const experiment::Column& column : experiment_.dataset.columns)
      if (column.role == role) return column.name;
    return standard;
  }

  /// Adds a weight of a layer.
  ParameterIndex weight(const ShapeLayer& layer, const std::string& name) {
    const auto spec = std::ranges::find(layer.weights, name, &experiment::LayerWeight::name);
    if (spec == layer.weights.end())
      throw InternalError(
          fmt::format("[nn.buildModel] {} has no weight \"{}\"", layer.pointer, name));
    using Start = experiment::LayerWeight::Start;
    const experiment::Initializer constant{.kind = experiment::InitializerKind::kConstant,
                                           .value = spec->start == Start::kOne ? 1.0 : 0.0};
    const std::string full = layer.parameterPrefix + "_" + name;
    if (spec->isState) return addState(full, spec->cols, constant.value);
    return model_.graph.addParameter(
        {.name = "dense/" + full,
         .rows = spec->rows,
         .cols = spec->cols,
         .initializer = spec->start == Start::kInitializer ? layer.layer->initializer : constant,
         .optimizer = optimizer("dense/" + full),
         .trainable = layer.layer->trainable});
  }

  /// All inputs of a layer as one value.
  Value sideBySide(const ShapeLayer& layer) {
    return joined(layer.parameterPrefix + "/concat", layer.inputs);
  }

  Value joined(const std::string& name, const std::vector<ShapeIndex>& inputs) {
    std::vector<Value> parts;
    for (const ShapeIndex input : inputs) parts.push_back(value(input));
    return parts.size() == 1 ? parts[0] : concat(model_.graph, name, parts);
  }

  std::vector<Value> inputsOf(const ShapeLayer& layer) const {
    std::vector<Value> parts;
    for (const ShapeIndex input : layer.inputs) parts.push_back(value(input));
    return parts;
  }

  /// act(x·kernel + bias)
  Value activatedProduct(const ShapeLayer& layer, Value x) {
    const Layer& spec = *layer.layer;
    DenseParameters parameters{weight(layer, "kernel")};
    if (spec.useBias) parameters.bias = weight(layer, "bias");
    return dense(model_.graph, layer.parameterPrefix, x, parameters, activationOp(spec.activation));
  }

  Value addCross(const ShapeLayer& layer) {
    const Layer& spec = *layer.layer;
    const std::string& prefix = layer.parameterPrefix;
    const Value x = sideBySide(layer);
    Value product = x;
    if (spec.projectionDim)
      product = matmul(model_.graph, prefix + "/down", product, weight(layer, "down_kernel"));
    return cross(model_.graph, prefix + "/cross", value(layer.x0), x,
                 activatedProduct(layer, product), spec.diagScale);
  }

  Value addNorm(const ShapeLayer& layer) {
    const Layer& spec = *layer.layer;
    const std::string& prefix = layer.parameterPrefix;
    const Value x = sideBySide(layer);
    NormParameters parameters{weight(layer, "gamma"), weight(layer, "beta")};
    if (spec.kind == LayerKind::kLayerNorm)
      return layerNorm(model_.graph, prefix + "/norm", x, parameters, spec.epsilon);
    parameters.mean = weight(layer, "moving_mean");
    parameters.variance = weight(layer, "moving_variance");
    return batchNorm(model_.graph, prefix + "/norm", x, parameters, spec.momentum, spec.epsilon);
  }

  ParameterIndex addState(const std::string& name, std::int64_t cols, double start) {
    return model_.graph.addParameter(
        {.name = "dense/" + name,
         .rows = 1,
         .cols = cols,
         .initializer = {.kind = experiment::InitializerKind::kConstant, .value = start},
         .trainable = false,
         .isState = true});
  }

  /// The product of all inputs, two at a time.
  Value addProduct(const ShapeLayer& layer) {
    Value product = value(layer.inputs[0]);
    for (std::size_t i = 1; i < layer.inputs.size(); ++i)
      product = multiply(model_.graph, fmt::format("{}/multiply_{}", layer.parameterPrefix, i),
                         product, value(layer.inputs[i]));
    return product;
  }

  Value addGate(const ShapeLayer& layer) {
    const std::string& prefix = layer.parameterPrefix;
    const Value logits =
        matmul(model_.graph, prefix + "/logits", value(layer.x0), weight(layer, "kernel"));
    return mixture(model_.graph, prefix + "/mixture", inputsOf(layer), logits);
  }

  Value addLayer(const ShapeLayer& layer) {
    const Layer& spec = *layer.layer;
    const std::string& prefix = layer.parameterPrefix;
    switch (spec.kind) {
      case LayerKind::kDense:
        return activatedProduct(layer, sideBySide(layer));
      case LayerKind::kFeatureCross:
        return addCross(layer);
      case LayerKind::kDotInteraction:
        return dotInteraction(
            model_.graph, prefix + "/interaction", inputsOf(layer),
            spec.selfInteraction ? tensor::SelfInteraction::kYes : tensor::SelfInteraction::kNo);
      case LayerKind::kDropout:
        return dropout(model_.graph, prefix + "/dropout", sideBySide(layer), spec.rate);
      case LayerKind::kBatchNorm:
      case LayerKind::kLayerNorm:
        return addNorm(layer);
      case LayerKind::kConcat:
        return sideBySide(layer);
      case LayerKind::kAdd:
        return add(model_.graph, prefix + "/add", inputsOf(layer));
      case LayerKind::kMultiply:
        return addProduct(layer);
      case LayerKind::kGate:
        return addGate(layer);
      case LayerKind::kL2Normalize:
        return l2Normalize(model_.graph, prefix + "/norm", sideBySide(layer));
      case LayerKind::kPosition:
        return position(model_.graph, prefix + "/position", sideBySide(layer),
                        weight(layer, "rows"), spec.countFrom);
      case LayerKind::kAttention:
        return addAttention(builderOf(layer), sideBySide(layer));
      case LayerKind::kTransformerBlock:
        return addTransformerBlock(builderOf(layer), sideBySide(layer));
      case LayerKind::kPool:
        return addPoolLayer(layer);
    }
    return -1;
  }

  LayerBuilder builderOf(const ShapeLayer& layer) {
    return {model_.graph, layer,
            [this, &layer](const std::string& name) { return weight(layer, name); }};
  }

  Value addPoolLayer(const ShapeLayer& layer) {
    const auto queries = experiment::overExamples(shape_, layer.inputs);
    const Value x =
        joined(layer.parameterPrefix + "/concat", experiment::overPositions(shape_, layer.inputs));
    const Value query =
        queries.empty() ? -1 : joined(layer.parameterPrefix + "/query_concat", queries);
    return addPool(builderOf(layer), x, query);
  }

  Value addNegativesLoss(const std::string& node, const experiment::Loss& loss) {
    if (loss.temperature.trainable) {
      const std::string name = "dense/loss_log_temperature";
      experiment::Optimizer own = optimizer(name);
      own.weightDecay = 0.0;  // or it would pull the temperature towards 1
      model_.temperature =
          model_.graph.addParameter({.name = name,
                                     .rows = 1,
                                     .cols = 1,
                                     .initializer = {.kind = experiment::InitializerKind::kConstant,
                                                     .value = std::log(loss.temperature.initial)},
                                     .optimizer = own});
    }
    // The other positions of a user are positives of the same user.
    const bool ofUsers = experiment_.training.objective == experiment::Objective::kAllPositions &&
                         experiment::meetsBatch(loss);
    const std::int32_t item = columnIndex(model_.candidateColumn);
    return negativesLoss(model_.graph, node, loss, model_.query, model_.candidate,
                         {.item = item,
                          .user = ofUsers ? columnIndex(model_.queryColumn) : -1,
                          .temperature = model_.temperature,
                          .score = experiment_.model.score});
  }

  /// The feature with the ids of a column, which is added if no feature of the document reads it.
  std::int32_t columnIndex(const std::string& column) {
    const auto found = std::ranges::find(model_.columns, column) - model_.columns.begin();
    if (found == std::ssize(model_.columns)) model_.columns.push_back(column);
    return static_cast<std::int32_t>(found);
  }

  /// The rows of the encoder's output at masked positions.
  void selectMasked() {
    if (shape_.masked < 0 || values_[at(shape_.masked)] >= 0) return;
    const experiment::Masking masking = experiment_.model.masking.value_or(experiment::Masking{});
    const auto feature = static_cast<std::int32_t>(model_.columns.size());
    model_.columns.insert(model_.columns.end(), {kMaskedPositions, kMaskedLabels});
    values_[at(shape_.masked)] = selectPositions(model_.graph, "masked", value(shape_.encoded),
                                                 feature, masking.maxSelections);
  }

  Status addVocabularyLoss() {
    if (shape_.hidden < 0) return documentError("/model/layers", "the model has no output");
    selectMasked();
    const std::size_t tokens = at(shape_.at(shape_.encoded).sequence);
    const experiment::Table* const table = tables_.find(experiment_.features[tokens].table);
    if (table == nullptr)
      return documentError(fmt::format("/features/{}/table", tokens), "no table has this name");
    model_.tokenTable = static_cast<ParameterIndex>(table - experiment_.tables.data());
    const std::int64_t pieces = model_.graph.parameters()[at(model_.tokenTable)].rows;
    model_.tokenBias = model_.graph.addParameter(
        {.name = "dense/masked_bias",
         .rows = pieces,
         .cols = 1,
         .initializer = {.kind = experiment::InitializerKind::kConstant, .value = 0.0},
         .optimizer = optimizer("dense/masked_bias")});
    model_.hidden = value(shape_.hidden);
    const auto labels = static_cast<std::int32_t>(model_.columns.size()) - 1;
    const Value loss =
        tableLoss(model_.graph, "loss", experiment_.loss, model_.hidden,
                  {.table = model_.tokenTable, .bias = model_.tokenBias, .labels = labels});
    model_.heads.push_back({"", experiment_.loss, -1, loss, -1});
    return {};
  }

  void addHead(const std::string& name, const experiment::Loss& loss, Value prediction,
               const std::optional<std::string>& label) {
    std::int32_t labelFeature = -1;
    if (label) {
      labelFeature = static_cast<std::int32_t>(model_.columns.size());
      model_.columns.push_back(*label);
    }
    const std::string node = name.empty() ? "loss" : "loss/" + name;
    Value lossValue = -1;
    if (experiment::usesNegatives(loss.kind))
      lossValue = addNegativesLoss(node, loss);
    else if (experiment::isListwise(loss.kind))
      lossValue = listLoss(model_.graph, node, loss, prediction, labelFeature);
    else
      lossValue = rowLoss(model_.graph, node, loss, prediction, labelFeature);
    model_.heads.push_back({name, loss, prediction, lossValue, labelFeature});
  }

  const Experiment& experiment_;
  const std::map<std::string, std::int64_t>& sizes_;
  const experiment::NameIndex<experiment::Table> tables_;
  const experiment::NameIndex<experiment::Vocabulary> vocabularies_;
  const experiment::ModelShape shape_;
  std::vector<Value> values_;  // by value of the shape
  Model model_;
};

}  // namespace

const std::string& Model::originOf(std::size_t node) const {
  static const std::string kModel = "/model";
  const auto found =
      std::ranges::find_if(origins, [node](const Origin& origin) { return node < origin.end; });
  return found == origins.end() ? kModel : found->pointer;
}

Result<Model> buildModel(const Experiment& experiment,
                         const std::map<std::string, std::int64_t>& vocabularySizes) {
  return Builder(experiment, vocabularySizes).run();
}

}  // namespace parapet::nn

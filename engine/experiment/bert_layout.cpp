// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/bert_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/record/location.h"
#include "engine/experiment/model_shape.h"

namespace parapet::experiment {
namespace {

const char* nameOf(Activation activation) {
  constexpr std::array kNames{"linear", "relu", "tanh", "sigmoid", "gelu", "gelu_tanh", "silu"};
  return kNames[static_cast<std::size_t>(activation)];
}

/// Follows the layers in the order in which BERT has them.
class Layout {
 public:
  Layout(const Experiment& experiment, const Location& root)
      : model_(experiment.model),
        root_(root / "model"),
        shape_(inferModel(experiment)),
        problemsBefore_(root.problemCount()) {
    if (experiment.features.size() == 1) table_ = experiment.features[0].table;
  }

  BertLayout run() {
    if (shape_.hidden < 0 || table_.empty()) return {};
    width_ = shape_.at(shape_.hidden).width;
    out_.settings.width = width_;
    add("embeddings.word_embeddings.weight", "tables/" + table_, BertPart::kWhole, {-1, width_});
    embeddings();
    if (next_ > 0) blocks();
    if (root_.problemCount() > problemsBefore_) return {};
    if (out_.settings.blocks == 0)
      (root_ / "layers").problem("BERT has transformer blocks, and the model none", kAccepted);
    head();
    return std::move(out_);
  }

 private:
  static constexpr const char* kAccepted =
      "position, layer_norm, dropout, then transformer_block layers with \"norm\": \"post\"";
  static constexpr const char* kAcceptedHead =
      "dense (as wide as the table, with a bias) and layer_norm";

  void add(std::string name, std::string parameter, BertPart part, std::vector<std::int64_t> dims) {
    out_.tensors.push_back({std::move(name), std::move(parameter), part, std::move(dims), ofHead_});
  }
  void addDense(const std::string& name, const ShapeLayer& layer, const std::string& weight,
                std::int64_t in, std::int64_t units) {
    add(name + ".weight", parameterOf(layer, weight + "kernel"), BertPart::kTransposed,
        {units, in});
    add(name + ".bias", parameterOf(layer, weight + "bias"), BertPart::kWhole, {units});
  }
  void addNorm(const std::string& name, const ShapeLayer& layer, const std::string& weight) {
    add(name + ".LayerNorm.weight", parameterOf(layer, weight + "gamma"), BertPart::kWhole,
        {width_});
    add(name + ".LayerNorm.bias", parameterOf(layer, weight + "beta"), BertPart::kWhole, {width_});
  }
  static std::string parameterOf(const ShapeLayer& layer, const std::string& weight) {
    return fmt::format("dense/{}_{}", layer.parameterPrefix, weight);
  }

  /// The shape of a layer of a list; null, with a problem, if it is of another kind.
  const ShapeLayer* expect(const char* list, const std::vector<Layer>& layers, std::size_t index,
                           LayerKind kind, const char* name, const char* accepted) const {
    const Location at = root_ / list / index;
    if (index >= layers.size() || layers[index].kind != kind) {
      (index < layers.size() ? at : root_ / list)
          .problem(fmt::format("BERT has a {} here", name), accepted);
      return nullptr;
    }
    if (!layers[index].inputs.empty()) {
      (at / "inputs").problem("a layer of BERT reads the one before it", "[]");
      return nullptr;
    }
    const auto found = std::ranges::find(shape_.layers, &layers[index], &ShapeLayer::layer);
    return found == shape_.layers.end() ? nullptr : &*found;
  }

  void embeddings() {
    const auto& layers = model_.layers;
    const ShapeLayer* position =
        expect("layers", layers, 0, LayerKind::kPosition, "position", kAccepted);
    if (!position) return;
    const ShapeLayer* norm =
        expect("layers", layers, 1, LayerKind::kLayerNorm, "layer_norm", kAccepted);
    if (!norm) return;
    out_.settings.positions = position->weights.front().rows;
    out_.settings.epsilon = norm->layer->epsilon;
    add("embeddings.position_embeddings.weight", parameterOf(*position, "rows"),
        BertPart::kFirstRows, {out_.settings.positions, width_});
    addNorm("embeddings", *norm, "");
    next_ = 2;
    if (next_ < layers.size() && layers[next_].kind == LayerKind::kDropout)
      out_.settings.dropout = layers[next_++].rate;
  }

  void blocks() {
    for (std::int64_t block = 0; next_ < model_.layers.size(); ++next_, ++block) {
      const ShapeLayer* layer = expect("layers", model_.layers, next_, LayerKind::kTransformerBlock,
                                       "transformer_block", kAccepted);
      if (!layer) return;
      const Layer& spec = *layer->layer;
      const Location at = root_ / "layers" / next_;
      if (spec.norm != NormOrder::kPost)
        (at / "norm").problem("BERT has its norms after each part of a block", "\"post\"");
      if (spec.causal) (at / "causal").problem("a position of BERT reads all of its text", "false");
      if (spec.glu) (at / "glu").problem("a block of BERT has two dense layers", "false");
      if (spec.gatedResidual)
        (at / "gated_residual").problem("a block of BERT adds without a gate", "false");
      addBlock(fmt::format("encoder.layer.{}.", block), *layer);
      setSizes(spec, at, block == 0);
      out_.settings.blocks = block + 1;
    }
  }

  void addBlock(const std::string& name, const ShapeLayer& layer) {
    const std::string kernel = parameterOf(layer, "qkv_kernel"),
                      bias = parameterOf(layer, "qkv_bias");
    for (const auto& [part, which] : {std::pair{BertPart::kQuery, "query"},
                                      {BertPart::kKey, "key"},
                                      {BertPart::kValue, "value"}}) {
      const std::string self = fmt::format("{}attention.self.{}", name, which);
      add(self + ".weight", kernel, part, {width_, width_});
      add(self + ".bias", bias, part, {width_});
    }
    const std::int64_t units = layer.layer->units;
    addDense(name + "attention.output.dense", layer, "out_", width_, width_);
    addNorm(name + "attention.output", layer, "attention_norm_");
    addDense(name + "intermediate.dense", layer, "up_", width_, units);
    addDense(name + "output.dense", layer, "down_", units, width_);
    addNorm(name + "output", layer, "dense_norm_");
  }

  /// A configuration says the sizes of a block once for all.
  void setSizes(const Layer& block, const Location& at, bool isFirst) {
    BertSettings& all = out_.settings;
    if (isFirst) {
      all.heads = block.heads;
      all.units = block.units;
      all.activation = block.activation;
    }
    if (block.heads != all.heads)
      (at / "heads")
          .problem("the blocks of BERT have equally many heads", fmt::to_string(all.heads));
    if (block.units != all.units)
      (at / "units").problem("the blocks of BERT are equally wide", fmt::to_string(all.units));
    if (block.activation != all.activation)
      (at / "activation")
          .problem("the blocks of BERT have one activation",
                   fmt::format("\"{}\"", nameOf(all.activation)));
    if (block.epsilon != all.epsilon)
      differ(at / "epsilon", fmt::to_string(block.epsilon), fmt::to_string(all.epsilon));
  }

  void head() {
    const auto& layers = model_.maskedLayers;
    const ShapeLayer* dense =
        expect("masked_layers", layers, 0, LayerKind::kDense, "dense layer", kAcceptedHead);
    if (!dense) return;
    const ShapeLayer* norm =
        expect("masked_layers", layers, 1, LayerKind::kLayerNorm, "layer_norm", kAcceptedHead);
    const Location at = root_ / "masked_layers";
    if (layers.size() > 2) (at / 2).problem("BERT has no further layer here", kAcceptedHead);
    if (!norm) return;
    if (!dense->layer->useBias) (at / 0 / "use_bias").problem("BERT has a bias here", "true");
    if (dense->layer->units != width_)
      (at / 0 / "units").problem("BERT is equally wide here", fmt::to_string(width_));
    ofHead_ = true;
    addDense("cls.predictions.transform.dense", *dense, "", width_, dense->layer->units);
    addNorm("cls.predictions.transform", *norm, "");
    add("cls.predictions.bias", "dense/masked_bias", BertPart::kWhole, {-1});
    if (dense->layer->activation != out_.settings.activation)
      differ(at / 0 / "activation", nameOf(dense->layer->activation),
             nameOf(out_.settings.activation));
    if (norm->layer->epsilon != out_.settings.epsilon)
      differ(at / 1 / "epsilon", fmt::to_string(norm->layer->epsilon),
             fmt::to_string(out_.settings.epsilon));
  }

  void differ(const Location& at, const std::string& here, const std::string& there) {
    out_.differences.push_back(
        fmt::format("{} is {}, and a configuration of BERT has one value for all layers: {}",
                    at.pointer(), here, there));
  }

  const Model& model_;
  const Location root_;
  const ModelShape shape_;
  const std::size_t problemsBefore_;
  std::string table_;
  std::int64_t width_ = 0;
  std::size_t next_ = 0;  ///< layer of the encoder
  bool ofHead_ = false;
  BertLayout out_;
};

}  // namespace

BertLayout bertLayout(const Experiment& experiment, const Location& root) {
  return Layout(experiment, root).run();
}

BertLayout bertLayout(const Experiment& experiment) {
  Findings findings;
  return bertLayout(experiment, Location("", findings));
}

}  // namespace parapet::experiment

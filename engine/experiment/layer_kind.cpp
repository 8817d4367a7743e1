// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/layer_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/text.h"

namespace parapet::experiment {
namespace {

using Width = std::optional<std::int64_t>;
using Weights = std::vector<LayerWeight>;
using Start = LayerWeight::Start;

std::nullopt_t refuse(const LayerInputs& of, const char* key, const std::string& message,
                      const std::string& accepted) {
  (of.location / key).problem(message, accepted);
  return std::nullopt;
}

Width sideBySide(const LayerInputs& of) {
  return of.shape.widthOf(of.inputs);
}

Width units(const LayerInputs& of) {
  return of.layer.units;
}

Width equalWidths(const LayerInputs& of) {
  const ShapeValue& first = of.shape.at(of.inputs[0]);
  for (const ShapeIndex input : of.inputs)
    if (const ShapeValue& other = of.shape.at(input); other.width != first.width)
      return refuse(of, "inputs",
                    fmt::format("\"{}\" is {} wide and \"{}\" {}", first.name, first.width,
                                other.name, other.width),
                    "inputs of equal widths");
  return first.width;
}

Width widthOfX0(const LayerInputs& of) {
  const std::int64_t width = of.shape.widthOf(of.inputs), x0 = of.shape.widthOf(of.x0);
  if (x0 == width) return width;
  return refuse(of, "x0", fmt::format("x0 is {} wide and the input {}", x0, width),
                "a value of the width of the input");
}

/// Width of the products of all pairs of inputs: F·(F−1)/2, with themselves F·(F+1)/2.
Width pairs(const LayerInputs& of) {
  if (!equalWidths(of)) return std::nullopt;
  const auto count = static_cast<std::int64_t>(of.inputs.size());
  if (of.layer.selfInteraction) return count * (count + 1) / 2;
  if (count < 2) return refuse(of, "inputs", "one input has no pair", "at least two inputs");
  return count * (count - 1) / 2;
}

/// Every position of the sequence has a row.
Width rowsFit(const LayerInputs& of) {
  const ShapeValue& sequence = of.shape.at(of.shape.at(of.inputs[0]).sequence);
  const std::int64_t rows = of.layer.maxLength.value_or(sequence.longest);
  if (rows >= sequence.longest) return sideBySide(of);
  return refuse(
      of, "max_length",
      fmt::format("{} positions, and \"{}\" may have {}", rows, sequence.name, sequence.longest),
      fmt::format("at least {}, or null", sequence.longest));
}

/// The heads of an attention have equal parts of its width.
Width dividedByHeads(const LayerInputs& of) {
  const std::int64_t width = of.shape.widthOf(of.inputs);
  if (width % of.layer.heads == 0) return width;
  return refuse(of, "heads",
                fmt::format("{} heads do not divide a width of {}", of.layer.heads, width),
                fmt::format("a divisor of {}", width));
}

/// Positions are weighted by products with a value of the example, which is as wide as they are.
Width pooled(const LayerInputs& of) {
  const std::int64_t width = of.shape.widthOf(overPositions(of.shape, of.inputs));
  const std::int64_t query = of.shape.widthOf(overExamples(of.shape, of.inputs));
  if (query == 0 || (of.layer.by == PoolKind::kAttention && query == width)) return width;
  return refuse(
      of, "inputs",
      fmt::format("the positions are {} wide and the value of the example {}", width, query),
      "values of equal widths");
}

void addKernel(Weights& to, const std::string& name, std::int64_t rows, std::int64_t cols,
               bool useBias = true) {
  to.push_back({name + "kernel", rows, cols, Start::kInitializer});
  if (useBias) to.push_back({name + "bias", 1, cols, Start::kZero});
}

void addNorm(Weights& to, const std::string& name, std::int64_t width) {
  to.push_back({name + "gamma", 1, width, Start::kOne});
  to.push_back({name + "beta", 1, width, Start::kZero});
}

void denseWeights(Weights& to, const Layer& layer, const LayerExtent& of) {
  addKernel(to, "", of.width, layer.units, layer.useBias);
}

void crossWeights(Weights& to, const Layer& layer, const LayerExtent& of) {
  if (layer.projectionDim) addKernel(to, "down_", of.width, *layer.projectionDim, false);
  addKernel(to, "", layer.projectionDim.value_or(of.width), of.width, layer.useBias);
}

/// A logit of each input; without a bias, as in MMoE.
void gateWeights(Weights& to, const Layer&, const LayerExtent& of) {
  addKernel(to, "", of.widthOfX0, of.parts, false);
}

void layerNormWeights(Weights& to, const Layer&, const LayerExtent& of) {
  addNorm(to, "", of.width);
}

void batchNormWeights(Weights& to, const Layer&, const LayerExtent& of) {
  addNorm(to, "", of.width);
  to.push_back({"moving_mean", 1, of.width, Start::kZero, true});
  to.push_back({"moving_variance", 1, of.width, Start::kOne, true});
}

void positionWeights(Weights& to, const Layer& layer, const LayerExtent& of) {
  to.push_back({"rows", layer.maxLength.value_or(of.positions), of.width, Start::kInitializer});
}

void attentionWeights(Weights& to, const Layer&, const LayerExtent& of) {
  addKernel(to, "qkv_", of.width, 3 * of.width);
  addKernel(to, "out_", of.width, of.width);
}

void blockWeights(Weights& to, const Layer& layer, const LayerExtent& of) {
  addNorm(to, "attention_norm_", of.width);
  attentionWeights(to, layer, of);
  if (layer.gatedResidual) addKernel(to, "attention_gate_", of.width, of.width);
  addNorm(to, "dense_norm_", of.width);
  addKernel(to, "up_", of.width, layer.units);
  if (layer.glu) addKernel(to, "glu_", of.width, layer.units);
  addKernel(to, "down_", layer.units, of.width);
  if (layer.gatedResidual) addKernel(to, "dense_gate_", of.width, of.width);
}

void poolWeights(Weights& to, const Layer& layer, const LayerExtent& of) {
  if (layer.by == PoolKind::kAttention) to.push_back({"query", of.width, 1, Start::kInitializer});
}

void smallRows(Layer& layer) {
  layer.initializer = {.kind = InitializerKind::kTruncatedNormal, .stddev = 0.02};
}

void noDropout(Layer& layer) {
  layer.rate = 0.0;
}

void asInBert(Layer& layer) {
  layer.units = 128;
  layer.activation = Activation::kGelu;
  layer.rate = 0.1;
  layer.epsilon = 1e-12;
}

constexpr std::array kLayerTraits = [] {
  using enum LayerKind;
  using enum LayerRows;
  return std::to_array<LayerTraits>({
      {kDense, "dense", "every output a weighted sum of all inputs", kEach,
       "units activation use_bias initializer trainable", units, denseWeights},
      {kFeatureCross, "feature_cross",
       "products of inputs, for features that matter together (DCN)", kCrossed,
       "activation use_bias initializer projection_dim diag_scale x0 trainable", widthOfX0,
       crossWeights},
      {kDotInteraction, "dot_interaction", "dot products of all pairs of vectors (DLRM)", kAligned,
       "self_interaction", pairs},
      {kDropout, "dropout", "in training, zeroes values at random against overfitting", kEach,
       "rate", sideBySide},
      {kBatchNorm, "batch_norm", "scales each column by its mean and spread over the batch", kBatch,
       "momentum epsilon trainable", sideBySide, batchNormWeights},
      {kLayerNorm, "layer_norm", "scales each example by its mean and spread", kEach,
       "epsilon trainable", sideBySide, layerNormWeights},
      {kConcat, "concat", "inputs side by side", kAligned, "", sideBySide},
      {kAdd, "add", "sum of inputs of equal width", kAligned, "", equalWidths},
      {kMultiply, "multiply", "product of inputs of equal width, element by element", kAligned, "",
       equalWidths},
      {kGate, "gate", "sum of inputs of equal width, weighted by a softmax for each row (MMoE)",
       kGated, "gate_input initializer trainable", equalWidths, gateWeights},
      {kL2Normalize, "l2_normalize", "scales each example to length 1, so that scores are cosines",
       kEach, "", sideBySide},
      {kPosition, "position", "of a sequence: adds a trained row of each position", kSequence,
       "initializer max_length count_from trainable", rowsFit, positionWeights, smallRows},
      {kAttention, "attention", "of a sequence: every position reads the others, by several heads",
       kSequence, "initializer rate heads causal trainable", dividedByHeads, attentionWeights,
       noDropout},
      {kTransformerBlock, "transformer_block",
       "of a sequence: attention and two dense layers, with norms", kSequence,
       "units activation initializer rate epsilon heads causal norm glu gated_residual trainable",
       dividedByHeads, blockWeights, asInBert},
      {kPool, "pool", "makes a sequence one row: its mean, sum, last or a weighted mean", kPooled,
       "by trainable", pooled, poolWeights},
  });
}();

static_assert(std::ranges::all_of(kLayerTraits, [](const LayerTraits& row) {
  return &row == &kLayerTraits[static_cast<std::size_t>(row.kind)];
}));

std::string rowsOf(const ModelShape& shape, ShapeIndex input) {
  const ShapeIndex sequence = shape.at(input).sequence;
  return sequence < 0 ? "a row per example"
                      : fmt::format("a row per position of \"{}\"", shape.at(sequence).name);
}

}  // namespace

bool LayerTraits::has(std::string_view setting) const {
  const auto keys = splitFields(settings, ' ');
  return std::ranges::find(keys, setting) != keys.end();
}

std::span<const LayerTraits> layerTraits() {
  return kLayerTraits;
}

const LayerTraits& traitsOf(LayerKind kind) {
  return kLayerTraits[static_cast<std::size_t>(kind)];
}

const LayerTraits* findLayerTraits(std::string_view word) {
  const auto found = std::ranges::find(kLayerTraits, word, &LayerTraits::word);
  return found == kLayerTraits.end() ? nullptr : &*found;
}

std::optional<ShapeIndex> outputSequence(const LayerInputs& of) {
  const LayerTraits& traits = traitsOf(of.layer.kind);
  const bool isPool = traits.rows == LayerRows::kPooled;
  std::vector<ShapeIndex> read = of.inputs;
  read.insert(read.end(), of.x0.begin(), of.x0.end());
  const std::vector<ShapeIndex> positions = overPositions(of.shape, read);
  if (isPool && of.layer.by == PoolKind::kAttention && !positions.empty()) read = positions;
  const ShapeValue& first = of.shape.at(read[0]);
  for (const ShapeIndex input : read)
    if (of.shape.at(input).sequence != first.sequence)
      return refuse(
          of, "inputs",
          fmt::format("\"{}\" has {} and \"{}\" {}", first.name, rowsOf(of.shape, read[0]),
                      of.shape.at(input).name, rowsOf(of.shape, input)),
          "inputs with the same rows; a layer \"pool\" makes a sequence one row per example");
  if ((isPool || traits.rows == LayerRows::kSequence) && first.sequence < 0)
    return refuse(of, "kind",
                  fmt::format("it reads a sequence, and \"{}\" has a row per example", first.name),
                  "a feature with sequence true, or a layer over its positions");
  if (traits.rows == LayerRows::kBatch && first.sequence >= 0)
    return refuse(
        of, "kind",
        fmt::format("{} measures columns over examples, and its input is a sequence", traits.word),
        fmt::format("\"layer_norm\", or a {} after a layer \"pool\"", traits.word));
  return isPool ? -1 : first.sequence;
}

Weights weightsOf(const Layer& layer, const LayerExtent& of) {
  Weights weights;
  if (const auto add = traitsOf(layer.kind).addWeights) add(weights, layer, of);
  return weights;
}

bool isTrained(const Layer& layer) {
  return layer.trainable && !weightsOf(layer).empty();
}

bool anyLayer(const Model& model, bool (*is)(const Layer&)) {
  const auto any = [is](const std::vector<Layer>& layers) {
    return std::ranges::any_of(layers, is);
  };
  return any(model.query) || any(model.candidate) || any(model.layers) || any(model.maskedLayers) ||
         std::ranges::any_of(model.heads, [&](const Head& head) { return any(head.layers); });
}

}  // namespace parapet::experiment

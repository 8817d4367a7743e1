// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/layer_widths.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::experiment {
namespace {

using Indices = std::vector<ShapeIndex>;

bool sameWidths(const ModelShape& shape, const Indices& inputs, const Location& location) {
  const ShapeValue& first = shape.at(inputs[0]);
  for (const ShapeIndex input : inputs) {
    if (shape.at(input).width == first.width) continue;
    (location / "inputs")
        .problem(fmt::format("\"{}\" is {} wide and \"{}\" {}", first.name, first.width,
                             shape.at(input).name, shape.at(input).width),
                 "inputs of equal widths");
    return false;
  }
  return true;
}

/// Width of the products of all pairs of `count` inputs.
std::optional<std::int64_t> pairs(const Layer& layer, std::int64_t count,
                                  const Location& location) {
  if (count < 2 && !layer.selfInteraction) {
    (location / "inputs").problem("one input has no pair", "at least two inputs");
    return std::nullopt;
  }
  return count * (layer.selfInteraction ? count + 1 : count - 1) / 2;
}

/// The heads of an attention have equal parts of its width.
std::optional<std::int64_t> dividedByHeads(const Layer& layer, std::int64_t width,
                                           const Location& location) {
  if (width % layer.heads == 0) return width;
  (location / "heads")
      .problem(fmt::format("{} heads do not divide a width of {}", layer.heads, width),
               fmt::format("a divisor of {}", width));
  return std::nullopt;
}

/// Positions are weighted by products with a value of the example, which is as wide as they are.
std::optional<std::int64_t> pooled(const Layer& layer, const ModelShape& shape,
                                   const Indices& inputs, const Location& location) {
  const std::int64_t width = shape.widthOf(overPositions(shape, inputs));
  const std::int64_t query = shape.widthOf(overExamples(shape, inputs));
  if (query == 0 || (layer.by == PoolKind::kAttention && query == width)) return width;
  (location / "inputs")
      .problem(
          fmt::format("the positions are {} wide and the value of the example {}", width, query),
          "values of equal widths");
  return std::nullopt;
}

std::string rowsOf(const ModelShape& shape, ShapeIndex input) {
  const ShapeIndex sequence = shape.at(input).sequence;
  return sequence < 0 ? "a row per example"
                      : fmt::format("a row per position of \"{}\"", shape.at(sequence).name);
}

bool sameRows(const ModelShape& shape, const Indices& inputs, const Location& location) {
  for (const ShapeIndex input : inputs) {
    if (shape.at(input).sequence == shape.at(inputs[0]).sequence) continue;
    (location / "inputs")
        .problem(
            fmt::format("\"{}\" has {} and \"{}\" {}", shape.at(inputs[0]).name,
                        rowsOf(shape, inputs[0]), shape.at(input).name, rowsOf(shape, input)),
            "inputs with the same rows; a layer \"pool\" makes a sequence one row per example");
    return false;
  }
  return true;
}

bool readsSequences(const Layer& layer) {
  return layer.kind >= LayerKind::kPosition;
}

bool fitsPositions(const Layer& layer, const ShapeValue& sequence, const Location& location) {
  if (layer.kind != LayerKind::kPosition || !layer.maxLength ||
      *layer.maxLength >= sequence.longest)
    return true;
  (location / "max_length")
      .problem(fmt::format("{} positions, and \"{}\" may have {}", *layer.maxLength, sequence.name,
                           sequence.longest),
               fmt::format("at least {}, or null", sequence.longest));
  return false;
}

void addDense(std::vector<LayerWeight>& weights, const std::string& name, std::int64_t inputs,
              std::int64_t units) {
  weights.push_back({name + "kernel", inputs, units, LayerWeight::Start::kInitializer});
  weights.push_back({name + "bias", 1, units, LayerWeight::Start::kZero});
}

void addNorm(std::vector<LayerWeight>& weights, const std::string& name, std::int64_t width) {
  weights.push_back({name + "gamma", 1, width, LayerWeight::Start::kOne});
  weights.push_back({name + "beta", 1, width, LayerWeight::Start::kZero});
}

}  // namespace

std::optional<std::int64_t> outputWidth(const Layer& layer, const ModelShape& shape,
                                        const Indices& inputs, const Indices& x0,
                                        const Location& location) {
  const std::int64_t in = shape.widthOf(inputs);
  switch (layer.kind) {
    case LayerKind::kDense:
      return layer.units;
    case LayerKind::kFeatureCross:
      if (shape.widthOf(x0) == in) return in;
      (location / "x0")
          .problem(fmt::format("x0 is {} wide and the input {}", shape.widthOf(x0), in),
                   "a value of the width of the input");
      return std::nullopt;
    case LayerKind::kDotInteraction:
      if (!sameWidths(shape, inputs, location)) return std::nullopt;
      return pairs(layer, static_cast<std::int64_t>(inputs.size()), location);
    case LayerKind::kAdd:
      if (!sameWidths(shape, inputs, location)) return std::nullopt;
      return shape.at(inputs[0]).width;
    case LayerKind::kAttention:
    case LayerKind::kTransformerBlock:
      return dividedByHeads(layer, in, location);
    case LayerKind::kPool:
      return pooled(layer, shape, inputs, location);
    default:
      return in;
  }
}

Indices overPositions(const ModelShape& shape, const Indices& inputs) {
  Indices out;
  std::ranges::copy_if(inputs, std::back_inserter(out),
                       [&](ShapeIndex input) { return shape.at(input).sequence >= 0; });
  return out;
}

Indices overExamples(const ModelShape& shape, const Indices& inputs) {
  Indices out;
  std::ranges::copy_if(inputs, std::back_inserter(out),
                       [&](ShapeIndex input) { return shape.at(input).sequence < 0; });
  return out;
}

std::optional<ShapeIndex> outputSequence(const Layer& layer, const ModelShape& shape,
                                         const Indices& inputs, const Location& location) {
  const bool weighs = layer.kind == LayerKind::kPool && layer.by == PoolKind::kAttention;
  const Indices positions = overPositions(shape, inputs);
  if (!sameRows(shape, weighs && !positions.empty() ? positions : inputs, location))
    return std::nullopt;
  const ShapeIndex sequence = positions.empty() ? -1 : shape.at(positions[0]).sequence;
  if (readsSequences(layer) && sequence < 0) {
    (location / "kind")
        .problem(fmt::format("it reads a sequence, and \"{}\" has a row per example",
                             shape.at(inputs[0]).name),
                 "a feature with sequence true, or a layer over its positions");
    return std::nullopt;
  }
  if (layer.kind == LayerKind::kBatchNorm && sequence >= 0) {
    (location / "kind")
        .problem("batch_norm measures columns over examples, and its input is a sequence",
                 "\"layer_norm\", or a batch_norm after a layer \"pool\"");
    return std::nullopt;
  }
  if (sequence >= 0 && !fitsPositions(layer, shape.at(sequence), location)) return std::nullopt;
  return layer.kind == LayerKind::kPool ? -1 : sequence;
}

std::vector<LayerWeight> weightsOf(const Layer& layer, std::int64_t inputWidth,
                                   std::int64_t outputWidth, std::int64_t positions) {
  using Start = LayerWeight::Start;
  std::vector<LayerWeight> weights;
  switch (layer.kind) {
    case LayerKind::kDense:
      weights.push_back({"kernel", inputWidth, outputWidth, Start::kInitializer});
      if (layer.useBias) weights.push_back({"bias", 1, outputWidth, Start::kZero});
      break;
    case LayerKind::kFeatureCross:
      if (layer.projectionDim)
        weights.push_back({"down_kernel", inputWidth, *layer.projectionDim, Start::kInitializer});
      weights.push_back(
          {"kernel", layer.projectionDim.value_or(inputWidth), outputWidth, Start::kInitializer});
      if (layer.useBias) weights.push_back({"bias", 1, outputWidth, Start::kZero});
      break;
    case LayerKind::kBatchNorm:
      addNorm(weights, "", outputWidth);
      weights.push_back({"moving_mean", 1, outputWidth, Start::kZero, true});
      weights.push_back({"moving_variance", 1, outputWidth, Start::kOne, true});
      break;
    case LayerKind::kLayerNorm:
      addNorm(weights, "", outputWidth);
      break;
    case LayerKind::kPosition:
      weights.push_back(
          {"rows", layer.maxLength.value_or(positions), outputWidth, Start::kInitializer});
      break;
    case LayerKind::kAttention:
      addDense(weights, "qkv_", inputWidth, 3 * inputWidth);
      addDense(weights, "out_", inputWidth, inputWidth);
      break;
    case LayerKind::kTransformerBlock:
      addNorm(weights, "attention_norm_", inputWidth);
      addDense(weights, "qkv_", inputWidth, 3 * inputWidth);
      addDense(weights, "out_", inputWidth, inputWidth);
      addNorm(weights, "dense_norm_", inputWidth);
      addDense(weights, "up_", inputWidth, layer.units);
      addDense(weights, "down_", layer.units, inputWidth);
      break;
    case LayerKind::kPool:
      if (layer.by == PoolKind::kAttention)
        weights.push_back({"query", inputWidth, 1, Start::kInitializer});
      break;
    default:
      break;
  }
  return weights;
}

bool hasWeights(const Layer& layer) {
  return !weightsOf(layer, 1, 1, 1).empty();
}

}  // namespace parapet::experiment

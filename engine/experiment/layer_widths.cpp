// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/layer_widths.h"

#include <fmt/format.h>

namespace parapet::experiment {
namespace {

bool sameWidths(const ModelShape& shape, const std::vector<ShapeIndex>& inputs,
                const Location& location) {
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

}  // namespace

std::optional<std::int64_t> outputWidth(const Layer& layer, const ModelShape& shape,
                                        const std::vector<ShapeIndex>& inputs,
                                        const std::vector<ShapeIndex>& x0,
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
    default:
      return in;
  }
}

bool hasWeights(const Layer& layer) {
  return layer.kind == LayerKind::kDense || layer.kind == LayerKind::kFeatureCross ||
         layer.kind == LayerKind::kBatchNorm || layer.kind == LayerKind::kLayerNorm;
}

std::int64_t parametersOf(const Layer& layer, std::int64_t inputWidth, std::int64_t outputWidth) {
  const std::int64_t bias = layer.useBias ? outputWidth : 0;
  switch (layer.kind) {
    case LayerKind::kDense:
      return inputWidth * outputWidth + bias;
    case LayerKind::kFeatureCross:
      return (layer.projectionDim ? 2 * inputWidth * *layer.projectionDim
                                  : inputWidth * outputWidth) +
             bias;
    case LayerKind::kBatchNorm:
      return 4 * outputWidth;
    case LayerKind::kLayerNorm:
      return 2 * outputWidth;
    default:
      return 0;
  }
}

}  // namespace parapet::experiment

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/experiment/model_shape.h"

namespace parapet::experiment {

/// Width of what a layer gives for these values of the shape (see ModelShape). nullopt, and a note
/// at the layer, if they do not fit it.
std::optional<std::int64_t> outputWidth(const Layer& layer, const ModelShape& shape,
                                        const std::vector<ShapeIndex>& inputs,
                                        const std::vector<ShapeIndex>& x0,
                                        const Location& location);

/// The sequence over whose positions the output of a layer lies; −1: it has a row per example.
/// nullopt, and a note at the layer, if the inputs lie over other rows than it reads.
std::optional<ShapeIndex> outputSequence(const Layer& layer, const ModelShape& shape,
                                         const std::vector<ShapeIndex>& inputs,
                                         const Location& location);

/// Inputs of a layer that lie over positions, and the others.
std::vector<ShapeIndex> overPositions(const ModelShape& shape,
                                      const std::vector<ShapeIndex>& inputs);
std::vector<ShapeIndex> overExamples(const ModelShape& shape,
                                     const std::vector<ShapeIndex>& inputs);

/// Whether a layer has weights, which may be trainable.
bool hasWeights(const Layer& layer);

/// The weights of a layer. `positions`: that its sequence may have.
std::vector<LayerWeight> weightsOf(const Layer& layer, std::int64_t inputWidth,
                                   std::int64_t outputWidth, std::int64_t positions);

}  // namespace parapet::experiment

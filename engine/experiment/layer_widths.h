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

/// Whether a layer of its kind has weights, which may be trainable.
bool hasWeights(const Layer& layer);

/// Weights of a layer, moving statistics included.
std::int64_t parametersOf(const Layer& layer, std::int64_t inputWidth, std::int64_t outputWidth);

}  // namespace parapet::experiment

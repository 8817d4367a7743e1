// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/nn/node.h"

namespace parapet::nn {

// One maker per node kind, each in a file of its own name beside this one.
std::unique_ptr<Node> makeLookup(std::string name, ParameterIndex table, std::int32_t feature,
                                 Value output);
/// `widths` are those of the parts.
std::unique_ptr<Node> makeConcat(std::string name, std::vector<Value> parts,
                                 std::vector<std::int64_t> widths, Value output);
std::unique_ptr<Node> makeMatmul(std::string name, Value x, ParameterIndex kernel, Value output);
std::unique_ptr<Node> makeBiasActivation(std::string name, Value x, ParameterIndex bias,
                                         tensor::ActivationOp activation, std::int64_t width,
                                         Value output);
std::unique_ptr<Node> makeDot(std::string name, Value x, Value y, std::int64_t width, Value output);
std::unique_ptr<Node> makeSquaredError(std::string name, Value prediction, Value output);

}  // namespace parapet::nn

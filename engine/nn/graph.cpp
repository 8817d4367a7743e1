// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/graph.h"

#include <fmt/format.h>

#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

void requireWidth(const std::string& node, std::int64_t found, std::int64_t accepted) {
  if (found != accepted)
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: width {} where {} is accepted", node, found, accepted));
}

}  // namespace

ParameterIndex Graph::addParameter(ParameterSpec spec) {
  parameters_.push_back(std::move(spec));
  return static_cast<ParameterIndex>(parameters_.size() - 1);
}

Value Graph::addValue(std::int64_t cols) {
  cols_.push_back(cols);
  return static_cast<Value>(cols_.size() - 1);
}

Value Graph::lookup(const std::string& name, ParameterIndex table, std::int32_t feature) {
  const Value out = addValue(parameters_.at(static_cast<std::size_t>(table)).cols);
  nodes_.push_back(makeLookup(name, table, feature, out));
  lookups_.push_back({table, feature, out});
  return out;
}

Value Graph::concat(const std::string& name, const std::vector<Value>& parts) {
  std::vector<std::int64_t> widths;
  std::int64_t total = 0;
  for (const Value part : parts) {
    widths.push_back(cols(part));
    total += cols(part);
  }
  const Value out = addValue(total);
  nodes_.push_back(makeConcat(name, parts, std::move(widths), out));
  return out;
}

Value Graph::matmul(const std::string& name, Value x, ParameterIndex kernel) {
  const ParameterSpec& spec = parameters_.at(static_cast<std::size_t>(kernel));
  requireWidth(name, cols(x), spec.rows);
  const Value out = addValue(spec.cols);
  nodes_.push_back(makeMatmul(name, x, kernel, out));
  return out;
}

Value Graph::biasActivation(const std::string& name, Value x, ParameterIndex bias,
                            tensor::ActivationOp activation) {
  if (bias >= 0) requireWidth(name, parameters_.at(static_cast<std::size_t>(bias)).cols, cols(x));
  const Value out = addValue(cols(x));
  nodes_.push_back(makeBiasActivation(name, x, bias, activation, cols(x), out));
  return out;
}

Value Graph::dot(const std::string& name, Value x, Value y) {
  requireWidth(name, cols(y), cols(x));
  const Value out = addValue(1);
  nodes_.push_back(makeDot(name, x, y, cols(x), out));
  return out;
}

Value Graph::squaredError(const std::string& name, Value prediction) {
  requireWidth(name, cols(prediction), 1);
  const Value out = addValue(1);
  nodes_.push_back(makeSquaredError(name, prediction, out));
  return out;
}

}  // namespace parapet::nn

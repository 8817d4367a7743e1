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
  denseReaders_.emplace_back();
  return static_cast<ParameterIndex>(parameters_.size() - 1);
}

Value Graph::addValue(std::int64_t cols) {
  cols_.push_back(cols);
  readers_.emplace_back();
  return static_cast<Value>(cols_.size() - 1);
}

void Graph::read(const std::string& node, Value value, Gradient gradient) {
  if (value < 0 || value >= values())
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: value {}; this graph has {}", node, value, values()));
  Readers& readers = readers_[static_cast<std::size_t>(value)];
  const bool alone = readers.written || gradient == Gradient::kWrites;
  if (readers.count > 0 && (alone || readers.last == nodes_.size()))
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: value {} is already read by {}; one reader is accepted", node,
                    value, readers.name));
  ++readers.count;
  readers.written = gradient == Gradient::kWrites;
  readers.last = nodes_.size();
  readers.name = node;
}

const ParameterSpec& Graph::known(const std::string& node, ParameterIndex index) const {
  if (index < 0 || index >= static_cast<ParameterIndex>(parameters_.size()))
    throw InvalidArgument(fmt::format("[nn.graph] {}: parameter {}; this graph has {}", node, index,
                                      parameters_.size()));
  return parameters_[static_cast<std::size_t>(index)];
}

const ParameterSpec& Graph::readDense(const std::string& node, ParameterIndex index) {
  const ParameterSpec& spec = known(node, index);
  if (spec.sparse)
    throw InvalidArgument(fmt::format("[nn.graph] {}: {} is a table; a dense parameter is accepted",
                                      node, spec.name));
  std::string& reader = denseReaders_[static_cast<std::size_t>(index)];
  if (!reader.empty())
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: {} is already read by {}; one reader is accepted", node,
                    spec.name, reader));
  reader = node;
  return spec;
}

Value Graph::lookup(const std::string& name, ParameterIndex table, std::int32_t feature) {
  const ParameterSpec& spec = known(name, table);
  if (!spec.sparse)
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: {} is dense; a table is accepted", name, spec.name));
  const Value out = addValue(spec.cols);
  nodes_.push_back(makeLookup(name, table, feature, out));
  lookups_.push_back({table, feature, out});
  return out;
}

Value Graph::concat(const std::string& name, const std::vector<Value>& parts) {
  if (parts.empty())
    throw InvalidArgument(fmt::format("[nn.graph] {}: 0 parts; at least 1 is accepted", name));
  std::vector<std::int64_t> widths;
  std::int64_t total = 0;
  for (const Value part : parts) {
    read(name, part, Gradient::kAdds);
    widths.push_back(cols(part));
    total += cols(part);
  }
  const Value out = addValue(total);
  nodes_.push_back(makeConcat(name, parts, std::move(widths), out));
  return out;
}

Value Graph::matmul(const std::string& name, Value x, ParameterIndex kernel) {
  read(name, x, Gradient::kAdds);
  const ParameterSpec& spec = readDense(name, kernel);
  requireWidth(name, cols(x), spec.rows);
  const Value out = addValue(spec.cols);
  nodes_.push_back(makeMatmul(name, x, kernel, out));
  return out;
}

Value Graph::biasActivation(const std::string& name, Value x, ParameterIndex bias,
                            tensor::ActivationOp activation) {
  read(name, x, Gradient::kWrites);
  if (bias >= 0) requireWidth(name, readDense(name, bias).cols, cols(x));
  const Value out = addValue(cols(x));
  nodes_.push_back(makeBiasActivation(name, x, bias, activation, cols(x), out));
  return out;
}

Value Graph::dot(const std::string& name, Value x, Value y) {
  read(name, x, Gradient::kAdds);
  read(name, y, Gradient::kAdds);
  requireWidth(name, cols(y), cols(x));
  const Value out = addValue(1);
  nodes_.push_back(makeDot(name, x, y, cols(x), out));
  return out;
}

Value Graph::squaredError(const std::string& name, Value prediction) {
  read(name, prediction, Gradient::kWrites);
  requireWidth(name, cols(prediction), 1);
  const Value out = addValue(1);
  nodes_.push_back(makeSquaredError(name, prediction, out));
  return out;
}

}  // namespace parapet::nn

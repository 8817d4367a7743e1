// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

void requireWidth(const std::string& node, std::int64_t found, std::int64_t accepted) {
  if (found != accepted)
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: width {} where {} is accepted", node, found, accepted));
}

double product(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

}  // namespace

ParameterIndex Graph::addParameter(ParameterSpec spec) {
  parameters_.push_back(std::move(spec));
  denseReaders_.emplace_back();
  return static_cast<ParameterIndex>(parameters_.size() - 1);
}

Value Graph::addValue(std::int64_t cols) {
  cols_.push_back(cols);
  return static_cast<Value>(cols_.size() - 1);
}

Value Graph::add(std::unique_ptr<Node> node, double flops) {
  nodes_.push_back(std::move(node));
  flops_ += flops;
  return nodes_.back()->output();
}

void Graph::read(const std::string& node, Value value) {
  if (value < 0 || value >= values())
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: value {}; this graph has {}", node, value, values()));
}

void Graph::readAll(const std::string& node, const std::vector<Value>& values) {
  if (values.empty())
    throw InvalidArgument(fmt::format("[nn.graph] {}: 0 parts; at least 1 is accepted", node));
  for (std::size_t i = 0; i < values.size(); ++i) {
    read(node, values[i]);
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) !=
        values.begin() + static_cast<std::ptrdiff_t>(i))
      throw InvalidArgument(fmt::format("[nn.graph] {}: reads value {} twice", node, values[i]));
  }
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

Value Graph::lookup(const std::string& name, Lookup spec) {
  const ParameterSpec& table = known(name, spec.table);
  if (!table.sparse)
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: {} is dense; a table is accepted", name, table.name));
  const std::int64_t width = table.cols;
  spec.output = addValue(width);
  lookups_.push_back(spec);
  return add(makeLookup(name, spec.table, spec.feature, width, spec.output),
             static_cast<double>(width));
}

Value Graph::numeric(const std::string& name, std::int32_t feature,
                     experiment::NumericTransform transform) {
  return add(makeNumeric(name, feature, transform, addValue(1)), 1.0);
}

Value Graph::fittedNumeric(const std::string& name, std::int32_t feature,
                           experiment::NumericTransform transform, ParameterIndex fitted) {
  const std::int64_t cols = readDense(name, fitted).cols;
  return add(makeFittedNumeric(name, feature, transform, fitted, cols, addValue(1)), 2.0);
}

Value Graph::concat(const std::string& name, const std::vector<Value>& parts) {
  readAll(name, parts);
  std::vector<std::int64_t> widths;
  std::int64_t total = 0;
  for (const Value part : parts) {
    widths.push_back(cols(part));
    total += cols(part);
  }
  return add(makeConcat(name, parts, std::move(widths), addValue(total)),
             static_cast<double>(total));
}

Value Graph::add(const std::string& name, const std::vector<Value>& parts) {
  readAll(name, parts);
  const std::int64_t width = cols(parts[0]);
  for (const Value part : parts) requireWidth(name, cols(part), width);
  return add(makeAdd(name, parts, width, addValue(width)),
             product(width, static_cast<std::int64_t>(parts.size())));
}

Value Graph::matmul(const std::string& name, Value x, ParameterIndex kernel) {
  read(name, x);
  const ParameterSpec& spec = readDense(name, kernel);
  requireWidth(name, cols(x), spec.rows);
  const std::int64_t units = spec.cols;
  return add(makeMatmul(name, x, kernel, cols(x), units, addValue(units)),
             2.0 * product(cols(x), units));
}

Value Graph::biasActivation(const std::string& name, Value x, ParameterIndex bias,
                            tensor::ActivationOp activation) {
  read(name, x);
  const std::int64_t width = cols(x);
  if (bias >= 0) requireWidth(name, readDense(name, bias).cols, width);
  return add(makeBiasActivation(name, x, bias, activation, width, addValue(width)),
             2.0 * static_cast<double>(width));
}

Value Graph::dot(const std::string& name, Value x, Value y) {
  readAll(name, {x, y});
  requireWidth(name, cols(y), cols(x));
  return add(makeDot(name, x, y, cols(x), addValue(1)), 2.0 * static_cast<double>(cols(x)));
}

Value Graph::cross(const std::string& name, Value x0, Value x, Value u, double diagScale) {
  read(name, x0);
  readAll(name, {x, u});
  requireWidth(name, cols(x0), cols(x));
  requireWidth(name, cols(u), cols(x));
  const std::int64_t width = cols(x);
  return add(makeCross(name, x0, x, u, diagScale, width, addValue(width)),
             4.0 * static_cast<double>(width));
}

Value Graph::dotInteraction(const std::string& name, const std::vector<Value>& parts,
                            tensor::SelfInteraction self) {
  readAll(name, parts);
  const std::int64_t width = cols(parts[0]);
  for (const Value part : parts) requireWidth(name, cols(part), width);
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t pairs = tensor::interactionWidth(count, self);
  return add(makeDotInteraction(name, parts, width, self, addValue(pairs)),
             2.0 * product(pairs, width));
}

Value Graph::dropout(const std::string& name, Value x, double rate) {
  read(name, x);
  return add(makeDropout(name, x, rate, cols(x), addValue(cols(x))),
             8.0 * static_cast<double>(cols(x)));
}

void Graph::readNorm(const std::string& node, const NormParameters& parameters,
                     std::int64_t width) {
  for (const ParameterIndex index :
       {parameters.gamma, parameters.beta, parameters.mean, parameters.variance})
    if (index >= 0) requireWidth(node, readDense(node, index).cols, width);
}

Value Graph::batchNorm(const std::string& name, Value x, NormParameters parameters, double momentum,
                       double epsilon) {
  read(name, x);
  const std::int64_t width = cols(x);
  readNorm(name, parameters, width);
  return add(makeBatchNorm(name, x, parameters, momentum, epsilon, width, addValue(width)),
             8.0 * static_cast<double>(width));
}

Value Graph::layerNorm(const std::string& name, Value x, NormParameters parameters,
                       double epsilon) {
  read(name, x);
  const std::int64_t width = cols(x);
  readNorm(name, parameters, width);
  return add(makeLayerNorm(name, x, parameters, epsilon, width, addValue(width)),
             8.0 * static_cast<double>(width));
}

Value Graph::addLoss(std::unique_ptr<Node> node, const experiment::Loss& loss, double flops) {
  losses_.push_back(
      {node->output(), loss.reduction, loss.weight, loss.kind == experiment::LossKind::kListMle});
  return add(std::move(node), flops);
}

Value Graph::rowLoss(const std::string& name, const experiment::Loss& loss, Value prediction,
                     std::int32_t label) {
  read(name, prediction);
  requireWidth(name, cols(prediction), 1);
  return addLoss(makeRowLoss(name, loss.kind, prediction, label, addValue(1)), loss, 4.0);
}

Value Graph::listLoss(const std::string& name, const experiment::Loss& loss, Value prediction,
                      std::int32_t label) {
  read(name, prediction);
  requireWidth(name, cols(prediction), 1);
  return addLoss(
      makeListLoss(name, loss.kind, loss.temperature.initial, prediction, label, addValue(1)), loss,
      64.0);
}

Value Graph::l2Normalize(const std::string& name, Value x) {
  read(name, x);
  // That of TensorFlow: far below the square of any row that is not zero.
  constexpr double kEpsilon = 1e-12;
  return add(makeL2Normalize(name, x, kEpsilon, cols(x), addValue(cols(x))),
             4.0 * static_cast<double>(cols(x)));
}

Value Graph::negativesLoss(const std::string& name, const experiment::Loss& loss, Value query,
                           Value candidate, std::int32_t item, ParameterIndex temperature) {
  readAll(name, {query, candidate});
  requireWidth(name, cols(candidate), cols(query));
  if (temperature >= 0) requireWidth(name, readDense(name, temperature).cols, 1);
  flopsPerPair_ += 2.0 * static_cast<double>(cols(query));
  ++pairLosses_;
  return addLoss(makeNegativesLoss(name, loss, {query, candidate, item, temperature}, cols(query),
                                   addValue(1)),
                 loss, 0.0);
}

double Graph::flopsPerExample(std::int64_t batchRows) const {
  return flops_ + flopsPerPair_ * static_cast<double>(batchRows);
}

double Graph::trainingFlopsPerExample(std::int64_t batchRows) const {
  // Backwards each product is two: with respect to what it reads and to its weights; scores of
  // pairs likewise, with respect to queries and to candidates.
  constexpr double kPasses = 3.0;
  return kPasses * flopsPerExample(batchRows);
}

}  // namespace parapet::nn

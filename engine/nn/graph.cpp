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
  wholeReaders_.emplace_back();
  readerScopes_.emplace_back();
  return static_cast<ParameterIndex>(parameters_.size() - 1);
}

RowSpace Graph::addRowSpace(std::int32_t feature, std::int64_t maxPerExample) {
  if (maxPerExample < 1)
    throw InvalidArgument(fmt::format(
        "[nn.graph] at most {} rows of feature {} in an example; at least 1 is accepted",
        maxPerExample, feature));
  rowSpaces_.push_back({feature, maxPerExample, -1});
  return static_cast<RowSpace>(rowSpaces_.size() - 1);
}

Value Graph::addValue(std::int64_t cols, RowSpace rows) {
  cols_.push_back(cols);
  rowSpaceOf_.push_back(rows);
  return static_cast<Value>(cols_.size() - 1);
}

Value Graph::add(std::unique_ptr<Node> node, double flops) {
  // Slices have gradients of their own, and the whole batch is in none of them.
  for (const ParameterIndex index : node->parameters()) {
    if (parameters_[at(index)].sparse) continue;
    std::optional<NodeScope>& known = readerScopes_[at(index)];
    if (known && *known != node->scope())
      throw InvalidArgument(fmt::format(
          "[nn.graph] {}: {} is read by a node of slices and by one of the whole batch; "
          "one of both is accepted",
          node->name(), parameters_[at(index)].name));
    known = node->scope();
  }
  nodes_.push_back(std::move(node));
  const Value output = nodes_.back()->output();
  flops_ += flops * static_cast<double>(rowSpaces_[at(rowSpace(output))].maxPerExample);
  return output;
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
    if (rowSpace(values[i]) != rowSpace(values[0]))
      throw InvalidArgument(
          fmt::format("[nn.graph] {}: value {} lies over row space {} and value {} over {}; equal "
                      "ones are accepted",
                      node, values[0], rowSpace(values[0]), values[i], rowSpace(values[i])));
  }
}

void Graph::readExamples(const std::string& node, Value value) {
  read(node, value);
  if (rowSpace(value) != kExamples)
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: value {} lies over row space {}; examples are accepted", node,
                    value, rowSpace(value)));
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
  return spec;
}

const ParameterSpec& Graph::readWhole(const std::string& node, ParameterIndex index) {
  const ParameterSpec& spec = known(node, index);
  std::string& reader = wholeReaders_[at(index)];
  if (!spec.sparse)
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: {} is dense; a table is accepted", node, spec.name));
  if (!reader.empty())
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: {} is already read as a whole by {}; one reader is accepted",
                    node, spec.name, reader));
  reader = node;
  return spec;
}

Value Graph::lookup(const std::string& name, Lookup spec) {
  const ParameterSpec& table = known(name, spec.table);
  if (!table.sparse)
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: {} is dense; a table is accepted", name, table.name));
  const std::int64_t width = table.cols;
  RowSpace rows = kExamples;
  if (spec.sequence) {
    rows = addRowSpace(spec.feature, spec.maxLength);
    rowSpaces_.back().lookup = static_cast<int>(lookups_.size());
  }
  spec.output = addValue(width, rows);
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
  return add(makeConcat(name, parts, std::move(widths), addLike(parts[0], total)),
             static_cast<double>(total));
}

Value Graph::add(const std::string& name, const std::vector<Value>& parts) {
  readAll(name, parts);
  const std::int64_t width = cols(parts[0]);
  for (const Value part : parts) requireWidth(name, cols(part), width);
  return add(makeAdd(name, parts, width, addLike(parts[0], width)),
             product(width, static_cast<std::int64_t>(parts.size())));
}

Value Graph::matmul(const std::string& name, Value x, ParameterIndex kernel) {
  return addDense(name, x, {kernel}, tensor::ActivationOp::kLinear);
}

Value Graph::dense(const std::string& name, Value x, DenseParameters parameters,
                   tensor::ActivationOp activation) {
  using enum tensor::ActivationOp;
  if (activation != kGelu && activation != kGeluTanh)
    return addDense(name, x, parameters, activation);
  const Value product = matmul(name + "/matmul", x, parameters.kernel);
  return biasActivation(name + "/activation", product, parameters.bias, activation);
}

Value Graph::addDense(const std::string& name, Value x, DenseParameters parameters,
                      tensor::ActivationOp activation) {
  read(name, x);
  const ParameterSpec& spec = readDense(name, parameters.kernel);
  requireWidth(name, cols(x), spec.rows);
  const std::int64_t units = spec.cols;
  if (parameters.bias >= 0) requireWidth(name, readDense(name, parameters.bias).cols, units);
  const bool finishes = parameters.bias >= 0 || activation != tensor::ActivationOp::kLinear;
  return add(makeDense(name, x, parameters, activation, cols(x), units, addLike(x, units)),
             2.0 * product(cols(x), units) + (finishes ? 2.0 * static_cast<double>(units) : 0.0));
}

Value Graph::biasActivation(const std::string& name, Value x, ParameterIndex bias,
                            tensor::ActivationOp activation) {
  read(name, x);
  const std::int64_t width = cols(x);
  if (bias >= 0) requireWidth(name, readDense(name, bias).cols, width);
  return add(makeBiasActivation(name, x, bias, activation, width, addLike(x, width)),
             2.0 * static_cast<double>(width));
}

Value Graph::dot(const std::string& name, Value x, Value y) {
  readAll(name, {x, y});
  requireWidth(name, cols(y), cols(x));
  return add(makeDot(name, x, y, cols(x), addLike(x, 1)), 2.0 * static_cast<double>(cols(x)));
}

Value Graph::cross(const std::string& name, Value x0, Value x, Value u, double diagScale) {
  read(name, x0);
  readAll(name, {x, u});
  if (x0 != x && x0 != u) readAll(name, {x0, x});
  requireWidth(name, cols(x0), cols(x));
  requireWidth(name, cols(u), cols(x));
  const std::int64_t width = cols(x);
  return add(makeCross(name, x0, x, u, diagScale, width, addLike(x, width)),
             4.0 * static_cast<double>(width));
}

Value Graph::dotInteraction(const std::string& name, const std::vector<Value>& parts,
                            tensor::SelfInteraction self) {
  readAll(name, parts);
  const std::int64_t width = cols(parts[0]);
  for (const Value part : parts) requireWidth(name, cols(part), width);
  const auto count = static_cast<std::int64_t>(parts.size());
  const std::int64_t pairs = tensor::interactionWidth(count, self);
  return add(makeDotInteraction(name, parts, width, self, addLike(parts[0], pairs)),
             2.0 * product(pairs, width));
}

Value Graph::dropout(const std::string& name, Value x, double rate) {
  read(name, x);
  return add(makeDropout(name, x, rate, cols(x), addLike(x, cols(x))),
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
  readExamples(name, x);
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
  return add(makeLayerNorm(name, x, parameters, epsilon, width, addLike(x, width)),
             8.0 * static_cast<double>(width));
}

Value Graph::addLoss(std::unique_ptr<Node> node, const experiment::Loss& loss, double flops) {
  losses_.push_back({.value = node->output(),
                     .reduction = loss.reduction,
                     .weight = loss.weight,
                     .countsLists = experiment::traitsOf(loss.kind).countsLists});
  return add(std::move(node), flops);
}

Value Graph::rowLoss(const std::string& name, const experiment::Loss& loss, Value prediction,
                     std::int32_t label) {
  readExamples(name, prediction);
  requireWidth(name, cols(prediction), 1);
  return addLoss(makeRowLoss(name, loss.kind, prediction, label, addValue(1)), loss, 4.0);
}

Value Graph::listLoss(const std::string& name, const experiment::Loss& loss, Value prediction,
                      std::int32_t label) {
  readExamples(name, prediction);
  requireWidth(name, cols(prediction), 1);
  return addLoss(
      makeListLoss(name, loss.kind, loss.temperature.initial, prediction, label, addValue(1)), loss,
      64.0);
}

const RowSpaceSpec& Graph::readPositions(const std::string& node, Value value) {
  read(node, value);
  if (rowSpace(value) == kExamples)
    throw InvalidArgument(fmt::format(
        "[nn.graph] {}: value {} lies over examples; positions of a sequence are accepted", node,
        value));
  return rowSpaces_[at(rowSpace(value))];
}

Value Graph::position(const std::string& name, Value x, ParameterIndex table) {
  const std::int64_t longest = readPositions(name, x).maxPerExample;
  const ParameterSpec& spec = readDense(name, table);
  requireWidth(name, spec.cols, cols(x));
  if (spec.rows < longest)
    throw InvalidArgument(fmt::format("[nn.graph] {}: {} has {} rows; at least {} are accepted",
                                      name, spec.name, spec.rows, longest));
  const std::int64_t rows = spec.rows, width = cols(x);
  return add(makePosition(name, x, table, rows, width, addLike(x, width)),
             static_cast<double>(width));
}

Value Graph::attention(const std::string& name, Value qkv, AttentionShape shape) {
  shape.maxLength = readPositions(name, qkv).maxPerExample;
  const std::int64_t width = cols(qkv) / 3;
  if (shape.heads < 1 || cols(qkv) % (3 * shape.heads) != 0)
    throw InvalidArgument(
        fmt::format("[nn.graph] {}: {} heads in a width of {}; a multiple of 3 times the heads is "
                    "accepted",
                    name, shape.heads, cols(qkv)));
  shape.width = width / shape.heads;
  const Value logSumExp = addLike(qkv, shape.heads);
  const Value output = add(makeAttention(name, qkv, shape, logSumExp, addLike(qkv, width)),
                           4.0 * product(width, shape.maxLength));
  attentions_.push_back({qkv, output, shape.heads, shape.width, shape.causal});
  return output;
}

Value Graph::pool(const std::string& name, Value x, tensor::PoolOp kind) {
  const std::int64_t longest = readPositions(name, x).maxPerExample;
  return add(makePool(name, kind, {x}, cols(x), addValue(cols(x))), product(cols(x), longest));
}

Value Graph::weightedPool(const std::string& name, Value x, Value scores) {
  const std::int64_t longest = readPositions(name, x).maxPerExample;
  readAll(name, {x, scores});
  requireWidth(name, cols(scores), 1);
  const Value weights =
      add(makeSequenceSoftmax(name + "/softmax", scores, addLike(scores, 1)), 8.0);
  return add(
      makePool(name + "/pool", tensor::PoolOp::kWeighted, {x, weights}, cols(x), addValue(cols(x))),
      2.0 * product(cols(x), longest));
}

Value Graph::tableLoss(const std::string& name, const experiment::Loss& loss, Value hidden,
                       const TableLossInputs& inputs) {
  read(name, hidden);
  const ParameterSpec& table = readWhole(name, inputs.table);
  requireWidth(name, cols(hidden), table.cols);
  if (inputs.bias >= 0) requireWidth(name, readDense(name, inputs.bias).rows, table.rows);
  const TableLossShape shape{table.rows, table.cols,
                             rowSpaces_[at(rowSpace(hidden))].maxPerExample};
  const Value output = addLoss(makeTableLoss(name, hidden, inputs, shape, addLike(hidden, 1)), loss,
                               2.0 * product(shape.tableRows, shape.width));
  losses_.back().readsLabels = false;
  return output;
}

Value Graph::selectPositions(const std::string& name, Value x, std::int32_t feature,
                             std::int64_t maxPerExample) {
  const std::int32_t positionsOf = readPositions(name, x).feature;
  const RowSpace rows = addRowSpace(feature, maxPerExample);
  rowSpaces_.back().positionsOf = positionsOf;
  const std::int64_t width = cols(x);
  return add(makeSelectPositions(name, x, feature, width, addValue(width, rows)),
             static_cast<double>(width));
}

Value Graph::spread(const std::string& name, Value x, Value like) {
  readExamples(name, x);
  readPositions(name, like);
  return add(makeSpread(name, x, cols(x), addLike(like, cols(x))), static_cast<double>(cols(x)));
}

Value Graph::l2Normalize(const std::string& name, Value x) {
  read(name, x);
  // TensorFlow's value: far below the square of any row that is not zero.
  constexpr double kEpsilon = 1e-12;
  return add(makeL2Normalize(name, x, kEpsilon, cols(x), addLike(x, cols(x))),
             4.0 * static_cast<double>(cols(x)));
}

Value Graph::negativesLoss(const std::string& name, const experiment::Loss& loss, Value query,
                           Value candidate, std::int32_t item, ParameterIndex temperature) {
  readAll(name, {query, candidate});
  readExamples(name, query);
  requireWidth(name, cols(candidate), cols(query));
  if (temperature >= 0) requireWidth(name, readDense(name, temperature).cols, 1);
  flopsPerPair_ += 2.0 * static_cast<double>(cols(query));
  ++pairLosses_;
  return addLoss(makeNegativesLoss(name, loss, {query, candidate, item, temperature}, cols(query),
                                   addValue(1)),
                 loss, 0.0);
}

std::int64_t Graph::longestSequence() const {
  std::int64_t longest = 1;
  for (const RowSpaceSpec& rows : rowSpaces_) longest = std::max(longest, rows.maxPerExample);
  return longest;
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

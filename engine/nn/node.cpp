// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/nn/graph.h"

namespace parapet::nn {

Node::Node(const Graph& graph, std::string name, std::vector<Value> inputs)
    : name_(std::move(name)), inputs_(std::move(inputs)) {
  if (inputs_.empty()) refuse("0 parts; at least 1 is accepted");
  for (auto input = inputs_.begin(); input != inputs_.end(); ++input) {
    requireKnown(graph, *input);
    if (std::find(inputs_.begin(), input, *input) != input)
      refuse(fmt::format("reads value {} twice", *input));
    if (graph.rowSpace(*input) != graph.rowSpace(inputs_[0]))
      refuse(
          fmt::format("value {} lies over row space {} and value {} over {}; equal ones are "
                      "accepted",
                      inputs_[0], graph.rowSpace(inputs_[0]), *input, graph.rowSpace(*input)));
  }
  width_ = graph.cols(inputs_[0]);
  rowSpace_ = graph.rowSpace(inputs_[0]);
}

LossSpec& Node::addsLoss(const experiment::Loss& loss) {
  return loss_.emplace(LossSpec{.value = -1,
                                .reduction = loss.reduction,
                                .weight = loss.weight,
                                .countsLists = experiment::traitsOf(loss.kind).countsLists});
}

const ParameterSpec& Node::reads(const Graph& graph, ParameterIndex index) {
  const std::vector<ParameterSpec>& all = graph.parameters();
  if (index < 0 || index >= std::ssize(all))
    refuse(fmt::format("parameter {}; this graph has {}", index, all.size()));
  parameters_.push_back(index);
  return all[at(index)];
}

const ParameterSpec& Node::readsDense(const Graph& graph, ParameterIndex index) {
  const ParameterSpec& spec = reads(graph, index);
  if (spec.sparse) refuse(spec.name + " is a table; a dense parameter is accepted");
  return spec;
}

const ParameterSpec& Node::readsTable(const Graph& graph, ParameterIndex index) {
  const ParameterSpec& spec = reads(graph, index);
  if (!spec.sparse) refuse(spec.name + " is dense; a table is accepted");
  return spec;
}

const ParameterSpec& Node::readsWhole(const Graph& graph, ParameterIndex index) {
  const ParameterSpec& spec = readsTable(graph, index);
  if (const Node* const reader = graph.wholeReader(index))
    refuse(fmt::format("{} is already read as a whole by {}; one reader is accepted", spec.name,
                       reader->name()));
  return spec;
}

void Node::refuse(const std::string& text) const {
  throw InvalidArgument(fmt::format("[nn.graph] {}: {}", name_, text));
}

void Node::requireWidth(std::int64_t found, std::int64_t accepted) const {
  if (found != accepted) refuse(fmt::format("width {} where {} is accepted", found, accepted));
}

void Node::requireEqualWidths(const Graph& graph) const {
  for (const Value input : inputs_) requireWidth(graph.cols(input), width_);
}

void Node::requireKnown(const Graph& graph, Value value) const {
  if (value < 0 || value >= graph.values())
    refuse(fmt::format("value {}; this graph has {}", value, graph.values()));
}

void Node::requireExamples(const Graph& graph, Value value) const {
  if (graph.rowSpace(value) != kExamples)
    refuse(fmt::format("value {} lies over row space {}; examples are accepted", value,
                       graph.rowSpace(value)));
}

const RowSpaceSpec& Node::requirePositions(const Graph& graph, Value value) const {
  requireKnown(graph, value);
  if (graph.rowSpace(value) == kExamples)
    refuse(fmt::format("value {} lies over examples; positions of a sequence are accepted", value));
  return graph.rowSpaces()[at(graph.rowSpace(value))];
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::nn {

ParameterIndex Graph::addParameter(ParameterSpec spec) {
  parameters_.push_back(std::move(spec));
  readers_.push_back(nullptr);
  return static_cast<ParameterIndex>(parameters_.size() - 1);
}

RowSpace Graph::addRowSpace(const RowSpaceSpec& spec) {
  if (spec.maxPerExample < 1)
    throw InvalidArgument(fmt::format(
        "[nn.graph] at most {} rows of feature {} in an example; at least 1 is accepted",
        spec.maxPerExample, spec.feature));
  rowSpaces_.push_back(spec);
  return static_cast<RowSpace>(rowSpaces_.size() - 1);
}

Value Graph::addValue(std::int64_t cols, RowSpace rows) {
  cols_.push_back(cols);
  rowSpaceOf_.push_back(rows);
  return static_cast<Value>(cols_.size() - 1);
}

Value Graph::add(std::unique_ptr<Node> node) {
  std::vector<ParameterIndex> read;
  if (!node->lookup()) read = node->parameters();
  for (const ParameterIndex index : read) {
    const Node* const other = readers_[at(index)];
    // Slices have gradients of their own, and the whole batch is in none of them.
    if (other && !other->asBatchNode() != !node->asBatchNode())
      node->refuse(parameters_[at(index)].name +
                   " is read by a node of slices and by one of the whole batch; one of both is "
                   "accepted");
  }
  for (const ParameterIndex index : read) readers_[at(index)] = node.get();
  const Value output = node->output_ = addValue(node->cols(), node->rowSpace());
  if (node->lookup()) {
    lookups_.push_back(*node->lookup());
    lookups_.back().output = output;
  }
  if (const AttentionShape* const of = node->attention())
    attentions_.push_back({node->inputs()[0], output, of->heads, of->width, of->causal});
  if (node->loss()) {
    losses_.push_back(*node->loss());
    losses_.back().value = output;
  }
  (node->rowSpace() == kExamples ? flops_ : flopsOfSequences_) +=
      static_cast<double>(node->flops()) *
      static_cast<double>(rowSpaces_[at(node->rowSpace())].maxPerExample);
  flopsPerPair_ += static_cast<double>(node->flopsPerPair());
  if (node->flopsPerPair() > 0) ++pairLosses_;
  nodes_.push_back(std::move(node));
  return output;
}

std::int64_t Graph::longestSequence() const {
  std::int64_t longest = 1;
  for (const RowSpaceSpec& rows : rowSpaces_) longest = std::max(longest, rows.maxPerExample);
  return longest;
}

double Graph::flopsPerExample(std::int64_t batchRows, std::int64_t sharing) const {
  return flops_ + flopsOfSequences_ / static_cast<double>(sharing) +
         flopsPerPair_ * static_cast<double>(batchRows);
}

double Graph::trainingFlopsPerExample(std::int64_t batchRows, std::int64_t sharing) const {
  // Backwards each product is two: with respect to what it reads and to its weights; scores of
  // pairs likewise, with respect to queries and to candidates.
  constexpr double kPasses = 3.0;
  return kPasses * flopsPerExample(batchRows, sharing);
}

}  // namespace parapet::nn

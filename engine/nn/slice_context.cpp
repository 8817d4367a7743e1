// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/slice_context.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::nn {
std::size_t lookupOf(const Graph& graph, ParameterIndex table, std::int32_t feature) {
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (graph.lookups()[i].table == table && graph.lookups()[i].feature == feature) return i;
  throw InvalidArgument(
      fmt::format("[nn.StepPlan] no lookup of feature {} in parameter {}", feature, table));
}

float* SliceContext::gradient(Value value) {
  float* const elsewhere = redirected(value);
  return elsewhere ? elsewhere : plan_.buffers.gradient(value, slice_.rows.begin);
}

float* SliceContext::redirected(Value value) {
  if (!accumulated_ || nodeAccumulates_) return nullptr;
  float* scratch = plan_.buffers.scratch(slice_.rows.begin);
  for (const Value added : *accumulated_) {
    if (added == value) return scratch;
    scratch += rows() * plan_.graph.cols(added);
  }
  return nullptr;
}

tensor::GatheredRows SliceContext::gathered(Value value) {
  for (std::size_t i = 0; i < plan_.graph.lookups().size(); ++i) {
    const Lookup& lookup = plan_.graph.lookups()[i];
    if (lookup.output != value || !plan_.layout.inPlace[i]) continue;
    const Parameter& table = plan_.parameters[at(lookup.table)];
    return {whole(lookup.table).weight.data(), plan_.lookups[i].here().ids + slice_.rows.begin,
            table.spec.rows};
  }
  return {this->value(value)};
}

tensor::Accumulate SliceContext::accumulate(Value value) const {
  const bool add = nodeAccumulates_ && accumulated_ &&
                   std::ranges::find(*accumulated_, value) != accumulated_->end();
  return add ? tensor::Accumulate::kYes : tensor::Accumulate::kNo;
}

const float* SliceContext::weight(ParameterIndex index) const {
  return whole(index).weight.data();
}

float* SliceContext::state(ParameterIndex index) {
  const Parameter& parameter = plan_.parameters[at(index)];
  if (!parameter.spec.isState)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} belongs to the optimizer", parameter.spec.name));
  return whole(index).weight.data();
}

float* SliceContext::parameterGradient(ParameterIndex index) {
  const std::int64_t offset = plan_.layout.denseOffsets[at(index)];
  return offset < 0 || !gradients_ ? nullptr : gradients_ + offset;
}

LookupView SliceContext::lookup(ParameterIndex table, std::int32_t feature) const {
  const std::size_t index = lookupOf(plan_.graph, table, feature);
  const LookupRows& rows = plan_.lookups[index];
  const auto [begin, end] = rows.valueRange(slice_.rows.begin, slice_.rows.end);
  LookupView view;
  const LookupRows::Arrays& arrays = rows.here();
  view.offsets = arrays.offsets ? arrays.offsets + slice_.rows.begin : nullptr;
  view.scales = arrays.scales ? arrays.scales + begin : nullptr;
  const StackMember& member = plan_.members[index];
  if (member.stack < 0 || !plan_.stacks[at(member.stack)].fetchesRows()) {
    view.table = whole(table).weight.data();
    view.tableRows = plan_.parameters[at(table)].spec.rows;
    view.ids = {arrays.ids + begin, static_cast<std::size_t>(end - begin)};
  } else {
    const ShardedStack& stack = plan_.stacks[at(member.stack)];
    const std::int64_t rankFirst = rows.valueRange(slice_.rankBegin, slice_.rankBegin).first;
    view.table = stack.rows(slice_.rank);
    view.tableRows = stack.received(slice_.rank);
    view.ids = {stack.positionsHere(slice_.rank, member.position) + begin - rankFirst,
                static_cast<std::size_t>(end - begin)};
  }
  return view;
}

std::span<const std::int32_t> SliceContext::ids(std::int32_t feature) const {
  const auto all = plan_.input.features[at(feature)].ids;
  if (static_cast<std::int64_t>(all.size()) != plan_.input.rows)
    throw InvalidArgument(fmt::format("[nn.StepPlan] feature {} has {} ids for {} rows", feature,
                                      all.size(), plan_.input.rows));
  return all.subspan(static_cast<std::size_t>(slice_.rows.begin), static_cast<std::size_t>(rows()));
}

const float* SliceContext::numeric(std::int32_t feature) const {
  return plan_.here.features[at(feature)].dense + slice_.rows.begin;
}

const float* SliceContext::labels(std::int32_t feature) const {
  if (feature >= 0) return numeric(feature);
  if (plan_.input.labels.empty() && plan_.input.rows > 0)
    throw InvalidArgument("[nn.StepPlan] no labels; the loss is a target of this plan");
  return plan_.here.labels + slice_.rows.begin;
}

std::size_t SliceContext::lossIndex(Value loss) const {
  const auto& losses = plan_.graph.losses();
  return static_cast<std::size_t>(std::ranges::find(losses, loss, &LossSpec::value) -
                                  losses.begin());
}

float SliceContext::lossScale(Value loss) const {
  return static_cast<float>(plan_.lossScales[lossIndex(loss)]);
}

double* SliceContext::lossSums(Value loss) {
  return lossSums_ + lossIndex(loss) * kSumsOfLoss;
}

void SliceContext::addNegatives(Value loss, const NegativesSums& sums) {
  plan_.negatives[lossIndex(loss)] = sums;
}

void SliceContext::runBackward(std::size_t index) {
  begin(index, Pass::kBackward);
  plan_.layout.nodes[index]->backward(*this);
  end();
}

void SliceContext::begin(std::size_t index, Pass pass) {
  scratchOffset_ = plan_.layout.scratchOffsets[index];
  accumulated_ = pass == Pass::kBackward ? &plan_.layout.accumulated[index] : nullptr;
  nodeAccumulates_ = plan_.layout.nodes[index]->accumulatesGradients();
}

void SliceContext::end() {
  if (accumulated_)
    for (const Value added : *accumulated_)
      if (const float* const part = redirected(added)) {
        const std::int64_t width = plan_.graph.cols(added);
        tensor::copyColumns(launch_, rows(), width, part, width,
                            plan_.buffers.gradient(added, slice_.rows.begin), width,
                            tensor::Accumulate::kYes);
      }
  accumulated_ = nullptr;
}

}  // namespace parapet::nn

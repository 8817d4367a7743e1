// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_slice.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::nn {
std::size_t lookupOf(const Graph& graph, ParameterIndex table, std::int32_t feature) {
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (graph.lookups()[i].table == table && graph.lookups()[i].feature == feature) return i;
  throw InvalidArgument(
      fmt::format("[nn.StepPlan] no lookup of feature {} in parameter {}", feature, table));
}

float* StepSlice::gradient(Value value) {
  float* const elsewhere = redirected(value);
  return elsewhere ? elsewhere : plan_.buffers.gradient(value, rowsOfValue(value).begin);
}

SequenceSlice StepSlice::sequences(Value value) const {
  const RowSpace space = plan_.graph.rowSpace(value);
  const RowOffsets& offsets = plan_.rowOffsets[at(space)];
  if (!offsets.host)
    throw InvalidArgument(fmt::format("[nn.StepPlan] value {} lies over examples", value));
  return {{slice_.rows.rows(), rowsOf(space).rows(), offsets.here + slice_.rows.begin},
          plan_.cut.begin() + slice_.rows.begin};
}

float* StepSlice::redirected(Value value) {
  if (!accumulated_ || nodeAccumulates_) return nullptr;
  if (std::ranges::find(*accumulated_, value) == accumulated_->end()) return nullptr;
  const RowSpace space = plan_.graph.rowSpace(value);
  const mesh::RowSlice rows = rowsOf(space);
  float* scratch = plan_.buffers.scratch(space, rows.begin);
  for (const Value added : *accumulated_) {
    if (added == value) break;
    if (plan_.graph.rowSpace(added) == space) scratch += rows.rows() * plan_.graph.cols(added);
  }
  return scratch;
}

float* StepSlice::redirectedParameter(ParameterIndex index) {
  if (!accumulatedParameters_ || !gradients_.scratch) return nullptr;
  float* scratch = gradients_.scratch;
  for (const ParameterIndex added : *accumulatedParameters_) {
    if (added == index) return scratch;
    scratch += plan_.parameters[at(added)].size();
  }
  return nullptr;
}

tensor::GatheredRows StepSlice::gathered(Value value) {
  for (std::size_t i = 0; i < plan_.graph.lookups().size(); ++i) {
    const Lookup& lookup = plan_.graph.lookups()[i];
    if (lookup.output != value || !plan_.layout.inPlace[i]) continue;
    const ParameterShard& table = whole(lookup.table);
    return {table.weight.data(), plan_.lookups[i].here().ids + slice_.rows.begin, table.rowsHere};
  }
  return {this->value(value)};
}

tensor::Accumulate StepSlice::accumulate(Value value) const {
  const bool add = nodeAccumulates_ && accumulated_ &&
                   std::ranges::find(*accumulated_, value) != accumulated_->end();
  return add ? tensor::Accumulate::kYes : tensor::Accumulate::kNo;
}

const float* StepSlice::weight(ParameterIndex index) const {
  return whole(index).weight.data();
}

float* StepSlice::state(ParameterIndex index) {
  const Parameter& parameter = plan_.parameters[at(index)];
  if (!parameter.spec.isState)
    throw InvalidArgument(
        fmt::format("[nn.StepPlan] {} belongs to the optimizer", parameter.spec.name));
  return whole(index).weight.data();
}

float* StepSlice::parameterGradient(ParameterIndex index) {
  const std::int64_t offset = plan_.layout.denseOffsets[at(index)];
  if (offset >= 0 && gradients_.dense) {
    float* const elsewhere = redirectedParameter(index);
    return elsewhere ? elsewhere : gradients_.dense + offset;
  }
  if (!gradients_.whole) return nullptr;
  const auto table = std::ranges::find(plan_.layout.tables, index, &TableLayout::table);
  return table == plan_.layout.tables.end() || table->wholeOffset < 0
             ? nullptr
             : gradients_.whole + table->wholeOffset;
}

LookupView StepSlice::lookup(ParameterIndex table, std::int32_t feature) const {
  const std::size_t index = lookupOf(plan_.graph, table, feature);
  const LookupRows& rows = plan_.lookups[index];
  const auto [begin, end] = rows.valueRange(slice_.rows.begin, slice_.rows.end);
  LookupView view;
  const LookupRows::Arrays& arrays = rows.here();
  const bool combines = arrays.offsets && !plan_.graph.lookups()[index].sequence;
  view.offsets = combines ? arrays.offsets + slice_.rows.begin : nullptr;
  view.scales = arrays.scales ? arrays.scales + begin : nullptr;
  const StackMember& member = plan_.members[index];
  if (member.stack < 0 || !plan_.stacks[at(member.stack)].fetchesRows()) {
    const ParameterShard& read = whole(table);
    view.table = read.weight.data();
    view.tableRows = read.rowsHere;
    view.ids = {arrays.ids + begin, static_cast<std::size_t>(end - begin)};
  } else {
    const ShardedStack& stack = plan_.stacks[at(member.stack)];
    view.table = stack.rows(plan_.cut.space);
    view.tableRows = stack.received(plan_.cut.space);
    view.ids = {stack.positionsHere(plan_.cut.space, member.position) + begin,
                static_cast<std::size_t>(end - begin)};
  }
  return view;
}

std::span<const std::int32_t> StepSlice::ids(std::int32_t feature) const {
  const auto all = plan_.input.features[at(feature)].ids;
  if (static_cast<std::int64_t>(all.size()) != plan_.input.rows)
    throw InvalidArgument(fmt::format("[nn.StepPlan] feature {} has {} ids for {} rows", feature,
                                      all.size(), plan_.input.rows));
  return all.subspan(static_cast<std::size_t>(slice_.rows.begin), static_cast<std::size_t>(rows()));
}

const std::int32_t* StepSlice::idsHere(std::int32_t feature) const {
  const RowSpaceSpec& rows = plan_.graph.rowSpaces()[at(rowSpace_)];
  if (rows.lookup >= 0 && rows.feature == feature)
    return plan_.lookups[at(rows.lookup)].here().ids + rows_.begin;
  const std::int32_t* const offsets = plan_.rowOffsets[at(rowSpace_)].host;
  return plan_.here.features[at(feature)].ids + (offsets ? offsets[0] : 0) + rows_.begin;
}

const float* StepSlice::numeric(std::int32_t feature) const {
  return plan_.here.features[at(feature)].dense + slice_.rows.begin;
}

const float* StepSlice::labels(std::int32_t feature) const {
  if (feature >= 0) return numeric(feature);
  if (plan_.input.labels.empty() && plan_.input.rows > 0)
    throw InvalidArgument("[nn.StepPlan] no labels; the loss is a target of this plan");
  return plan_.here.labels + slice_.rows.begin;
}

std::size_t StepSlice::lossIndex(Value loss) const {
  const auto& losses = plan_.graph.losses();
  return static_cast<std::size_t>(std::ranges::find(losses, loss, &LossSpec::value) -
                                  losses.begin());
}

float StepSlice::lossScale(Value loss) const {
  return static_cast<float>(plan_.lossScales[lossIndex(loss)]);
}

double* StepSlice::lossSums(Value loss) {
  return lossSums_ + lossIndex(loss) * kSumsOfLoss;
}

void StepSlice::addNegatives(Value loss, const NegativesSums& sums) {
  plan_.negatives[lossIndex(loss)] = sums;
}

tensor::DrawKey StepSlice::drawKey() const {
  const tensor::StagedArray<std::uint64_t>& keys = plan_.drawKeys;
  const bool isReadHere = !launch_.device->isHost();
  return {keys.data()[node_], isReadHere ? keys.here() + node_ : nullptr};
}

void StepSlice::runForward(std::size_t index) {
  begin(index, Pass::kForward);
  plan_.layout.nodes[index]->forward(*this);
}

void StepSlice::runBackward(std::size_t index) {
  begin(index, Pass::kBackward);
  plan_.layout.nodes[index]->backward(*this);
  end();
}

void StepSlice::begin(std::size_t index, Pass pass) {
  scratchOffset_ = plan_.layout.scratchOffsets[index];
  node_ = index;
  rowSpace_ = plan_.graph.rowSpace(plan_.layout.nodes[index]->output());
  rows_ = rowsOf(rowSpace_);
  const bool back = pass == Pass::kBackward;
  accumulated_ = back ? &plan_.layout.accumulated[index] : nullptr;
  accumulatedParameters_ = back ? &plan_.layout.accumulatedParameters[index] : nullptr;
  backward_ = back ? plan_.layout.nodes[index] : nullptr;
  nodeAccumulates_ = plan_.layout.nodes[index]->accumulatesGradients();
}

void StepSlice::end() {
  if (accumulated_) addRedirected();
  backward_ = nullptr;
  accumulated_ = nullptr;
  accumulatedParameters_ = nullptr;
}

void StepSlice::addRedirected() {
  const auto add = [&](std::int64_t rows, std::int64_t width, const float* part, float* to) {
    tensor::run(launch_, PpCopyColumns{.rows = rows,
                                       .width = width,
                                       .in = part,
                                       .strideIn = width,
                                       .out = to,
                                       .strideOut = width,
                                       .accumulate = 1});
  };
  for (const Value added : *accumulated_)
    if (const float* const part = redirected(added)) {
      const mesh::RowSlice rows = rowsOfValue(added);
      add(rows.rows(), plan_.graph.cols(added), part, plan_.buffers.gradient(added, rows.begin));
    }
  for (const ParameterIndex added : *accumulatedParameters_)
    if (const float* const part = redirectedParameter(added)) {
      const ParameterSpec& spec = plan_.parameters[at(added)].spec;
      add(spec.rows, spec.cols, part, gradients_.dense + plan_.layout.denseOffsets[at(added)]);
    }
}

}  // namespace parapet::nn

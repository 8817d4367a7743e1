// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_slice.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::nn {
std::size_t lookupOf(const Graph& graph, ParameterIndex table, std::int32_t feature) {
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (graph.lookups()[i].table == table && graph.lookups()[i].feature == feature) return i;
  throw InvalidArgument(
      fmt::format("[nn.StepRunner] no lookup of feature {} in parameter {}", feature, table));
}

// A node that works on the whole batch writes its dense gradients to the first slice; no other node
// writes those elements. Evaluation and lists use fp32, whatever the model trains in.
StepSlice::StepSlice(Space& space, const StepCounts& counts, int slice, Workers* workers,
                     tensor::Recording* recording)
    : space_(space), counts_(counts) {
  const bool isAll = slice == space.program.slices();
  slice_ = isAll ? SliceRows{space.ranks.firstRank, {0, input().rows}}
                 : space.sliceRows(slice, *counts.batch);
  rows_ = slice_.rows;
  launch_ = {isAll ? &space.device : &space.mesh.device(slice_.rank), workers,
             trains() ? space.graph.precision() : tensor::Precision::kFp32, recording};
  gradients_ = space.gradientsOf(isAll ? 0 : slice);
  if (isAll && space.program.wholeElements > 0) gradients_.whole = space.gradients.data();
  lossSums_ = space.lossSums(slice);
}

float* StepSlice::gradient(Value value) {
  float* const elsewhere = redirected(value);
  return elsewhere ? elsewhere : space_.gradient(value, rowsOfValue(value).begin);
}

SequenceSlice StepSlice::sequences(Value value) const {
  const RowSpace space = space_.graph.rowSpace(value);
  const RowOffsets& offsets = space_.stage().rowOffsets[at(space)];
  if (!offsets.host)
    throw InvalidArgument(fmt::format("[nn.StepRunner] value {} lies over examples", value));
  return {{slice_.rows.rows(), rowsOf(space).rows(), offsets.here + slice_.rows.begin},
          cut().begin() + slice_.rows.begin};
}

tensor::Sequences StepSlice::examplesAt(Value value) const {
  const RowSpace space = space_.graph.rowSpace(value);
  const mesh::RowSlice positions = rowsOf(space);
  const tensor::StagedArray<std::int32_t>& examples = space_.stage().examplesAt.at(at(space));
  return {positions.rows(), examples.data()[positions.end] - examples.data()[positions.begin],
          examples.here() + positions.begin};
}

float* StepSlice::redirected(Value value) {
  if (!accumulated_ || nodeAccumulates_) return nullptr;
  if (std::ranges::find(*accumulated_, value) == accumulated_->end()) return nullptr;
  const RowSpace space = space_.graph.rowSpace(value);
  const mesh::RowSlice rows = rowsOf(space);
  float* scratch = space_.scratch(space, rows.begin);
  for (const Value added : *accumulated_) {
    if (added == value) break;
    if (space_.graph.rowSpace(added) == space) scratch += rows.rows() * space_.graph.cols(added);
  }
  return scratch;
}

float* StepSlice::redirectedParameter(ParameterIndex index) {
  if (!accumulatedParameters_ || !gradients_.scratch) return nullptr;
  float* scratch = gradients_.scratch;
  for (const ParameterIndex added : *accumulatedParameters_) {
    if (added == index) return scratch;
    scratch += space_.parameters[at(added)].size();
  }
  return nullptr;
}

tensor::GatheredRows StepSlice::gathered(Value value) {
  for (std::size_t i = 0; i < space_.graph.lookups().size(); ++i) {
    const Lookup& lookup = space_.graph.lookups()[i];
    if (lookup.output != value || !space_.program.inPlace[i]) continue;
    const ParameterShard& table = whole(lookup.table);
    return {table.weight.data(), space_.stage().lookups[i].here().ids + slice_.rows.begin,
            table.rowsHere};
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
  const Parameter& parameter = space_.parameters[at(index)];
  if (!parameter.spec.isState)
    throw InvalidArgument(
        fmt::format("[nn.StepRunner] {} belongs to the optimizer", parameter.spec.name));
  return whole(index).weight.data();
}

float* StepSlice::parameterGradient(ParameterIndex index) {
  const std::int64_t offset = space_.program.denseOffsets[at(index)];
  if (offset >= 0 && gradients_.dense) {
    float* const elsewhere = redirectedParameter(index);
    return elsewhere ? elsewhere : gradients_.dense + offset;
  }
  if (!gradients_.whole) return nullptr;
  const auto table = std::ranges::find(space_.program.tables, index, &TableGradient::table);
  return table == space_.program.tables.end() || table->wholeOffset < 0
             ? nullptr
             : gradients_.whole + table->wholeOffset;
}

LookupView StepSlice::lookup(ParameterIndex table, std::int32_t feature) const {
  const std::size_t index = lookupOf(space_.graph, table, feature);
  const LookupRows& rows = space_.stage().lookups[index];
  const auto [begin, end] = rows.valueRange(slice_.rows.begin, slice_.rows.end);
  LookupView view;
  const LookupRows::Arrays& arrays = rows.here();
  const bool combines = arrays.offsets && !space_.graph.lookups()[index].sequence;
  view.offsets = combines ? arrays.offsets + slice_.rows.begin : nullptr;
  view.scales = arrays.scales ? arrays.scales + begin : nullptr;
  const StackMember& member = space_.program.members[index];
  if (member.stack < 0 || !(*space_.stacks)[at(member.stack)].fetchesRows()) {
    const ParameterShard& read = whole(table);
    view.table = read.weight.data();
    view.tableRows = read.rowsHere;
    view.ids = {arrays.ids + begin, static_cast<std::size_t>(end - begin)};
  } else {
    const ShardedStack& stack = (*space_.stacks)[at(member.stack)];
    view.table = stack.rows(space_.index);
    view.tableRows = stack.received(space_.index);
    view.ids = {stack.positionsHere(space_.index, member.position) + begin,
                static_cast<std::size_t>(end - begin)};
  }
  return view;
}

std::span<const std::int32_t> StepSlice::ids(std::int32_t feature) const {
  const auto all = input().features[at(feature)].ids;
  if (static_cast<std::int64_t>(all.size()) != input().rows)
    throw InvalidArgument(fmt::format("[nn.StepRunner] feature {} has {} ids for {} rows", feature,
                                      all.size(), input().rows));
  return all.subspan(static_cast<std::size_t>(slice_.rows.begin), static_cast<std::size_t>(rows()));
}

const std::int32_t* StepSlice::idsHere(std::int32_t feature) const {
  const RowSpaceSpec& rows = space_.graph.rowSpaces()[at(rowSpace_)];
  if (rows.lookup >= 0 && rows.feature == feature)
    return space_.stage().lookups[at(rows.lookup)].here().ids + rows_.begin;
  const std::int32_t* const offsets = space_.stage().rowOffsets[at(rowSpace_)].host;
  return here().features[at(feature)].ids + (offsets ? offsets[0] : 0) + rows_.begin;
}

const float* StepSlice::numeric(std::int32_t feature) const {
  return here().features[at(feature)].dense + slice_.rows.begin;
}

const float* StepSlice::labels(std::int32_t feature) const {
  if (feature >= 0) return numeric(feature);
  if (input().labels.empty() && input().rows > 0)
    throw InvalidArgument("[nn.StepRunner] no labels; the loss is a target of this plan");
  return here().labels + slice_.rows.begin;
}

std::size_t StepSlice::lossIndex(Value loss) const {
  const auto& losses = space_.graph.losses();
  return static_cast<std::size_t>(std::ranges::find(losses, loss, &LossSpec::value) -
                                  losses.begin());
}

float StepSlice::lossScale(Value loss) const {
  return static_cast<float>(counts_.lossScales[lossIndex(loss)]);
}

double* StepSlice::lossSums(Value loss) {
  return lossSums_ + lossIndex(loss) * kSumsOfLoss;
}

void StepSlice::addNegatives(Value loss, const NegativesSums& sums) {
  space_.negatives[lossIndex(loss)] = sums;
}

tensor::DrawKey StepSlice::drawKey() const {
  const tensor::StagedArray<std::uint64_t>& keys = space_.drawKeys;
  const bool isReadHere = !launch_.device->isHost();
  return {keys.data()[node_], isReadHere ? keys.here() + node_ : nullptr};
}

void StepSlice::runForward(std::size_t index) {
  begin(index, Pass::kForward);
  space_.program.nodes[index]->forward(*this);
}

void StepSlice::runBackward(std::size_t index) {
  begin(index, Pass::kBackward);
  space_.program.nodes[index]->backward(*this);
  end();
}

void StepSlice::begin(std::size_t index, Pass pass) {
  scratchOffset_ = space_.program.scratchOffsets[index];
  node_ = index;
  rowSpace_ = space_.graph.rowSpace(space_.program.nodes[index]->output());
  rows_ = rowsOf(rowSpace_);
  const bool back = pass == Pass::kBackward;
  accumulated_ = back ? &space_.program.accumulated[index] : nullptr;
  accumulatedParameters_ = back ? &space_.program.accumulatedParameters[index] : nullptr;
  backward_ = back ? space_.program.nodes[index] : nullptr;
  nodeAccumulates_ = space_.program.nodes[index]->accumulatesGradients();
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
      add(rows.rows(), space_.graph.cols(added), part, space_.gradient(added, rows.begin));
    }
  for (const ParameterIndex added : *accumulatedParameters_)
    if (const float* const part = redirectedParameter(added)) {
      const ParameterSpec& spec = space_.parameters[at(added)].spec;
      add(spec.rows, spec.cols, part, gradients_.dense + space_.program.denseOffsets[at(added)]);
    }
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/space_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/base/random.h"
#include "engine/tensor/ops/clear.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::nn {
namespace {

std::int64_t drawKeysOf(const PlanLayout& layout) {
  const auto draws = [](const Node* node) { return node->drawStream().has_value(); };
  return std::ranges::any_of(layout.nodes, draws) ? static_cast<std::int64_t>(layout.nodes.size())
                                                  : 0;
}

}  // namespace

SpacePlan::SpacePlan(const Graph& g, std::span<Parameter> p, const mesh::DeviceMesh& m,
                     int spaceIndex, const std::vector<Value>& targets, PlanCapacity capacity,
                     PlanPurpose planPurpose)
    : graph(g),
      parameters(p),
      mesh(m),
      index(spaceIndex),
      space(m.spaces()[at(spaceIndex)]),
      purpose(planPurpose),
      layout(g, targets, planPurpose, std::move(capacity)),
      device(m.spaceDevice(spaceIndex)),
      buffers(g, layout, device),
      updates(g, layout, p, device,
              [this](const Parameter& of, std::size_t shard) { return hasShard(of, shard); }),
      denseGradients(device, layout.gradientElements()),
      denseSums(device, layout.sumElements()),
      scalars(device, layout.stepScalars(g)),
      scalarsRead(static_cast<std::size_t>(scalars.size())),
      drawKeys(device, drawKeysOf(layout)) {
  addStage();
  for (const TableLayout& table : layout.tables)
    if (!layout.capacity.isSplit(table.table) && !table.lookups.empty())
      tables.emplace_back(table, layout, graph, device);
  // A node that works on the whole batch writes its gradients to the first slice alone.
  tensor::run({&device, nullptr}, PpFill{denseGradients.data(), denseGradients.size(), 0.0f});
  tensor::run({&device, nullptr}, PpFill{denseSums.data(), denseSums.size(), 0.0f});
  for (int slice = 0; slice < layout.slices(); ++slice)
    denseParts.push_back(gradientsOf(slice).dense);
  negatives.resize(graph.losses().size());
  secondsOfSlice.resize(at(layout.slices()));
  gradientsOfStack.reserve(graph.lookups().size());
}

namespace {

/// See StagedInput.
std::vector<std::int32_t> positionsOf(const Graph& graph) {
  std::vector<std::int32_t> features;
  for (const RowSpaceSpec& rows : graph.rowSpaces()) {
    if (rows.positionsOf < 0) continue;
    features.resize(std::max(features.size(), at(rows.feature) + 1), -1);
    features[at(rows.feature)] = rows.positionsOf;
  }
  return features;
}

StagedInput::From stagedFrom(const mesh::DeviceMesh& mesh) {
  return mesh.spaces().size() == 1 ? StagedInput::From::kViews : StagedInput::From::kCopies;
}

}  // namespace

void SpacePlan::addStage() {
  Stage& stage =
      stages.emplace_back(Stage{StagedInput(device, stagedFrom(mesh), layout.capacity.rows,
                                            layout.capacity.idsPerRow, positionsOf(graph)),
                                {},
                                std::vector<RowOffsets>(graph.rowSpaces().size())});
  stage.lookups.reserve(graph.lookups().size());
  for (const Lookup& lookup : graph.lookups())
    stage.lookups.emplace_back(layout, lookup, graph.parameters()[at(lookup.table)], device,
                               purpose);
}

void SpacePlan::begin() {
  tensor::clear({&device, nullptr}, scalars);
  std::ranges::fill(secondsOfSlice, 0.0);
  std::ranges::fill(negatives, NegativesSums{});
  pieces = replayed = 0;
}

void SpacePlan::record(std::size_t stage, bool isFull) {
  records_ = isFull && purpose == PlanPurpose::kTrain && !device.isHost();
  recorded_ = stage;
  nextOfStage_ = 0;
  if (records_ && recordings.size() <= stage) recordings.resize(stage + 1);
}

tensor::Recording* SpacePlan::nextRecording() {
  if (!records_) return nullptr;
  std::vector<tensor::Recording>& all = recordings[recorded_];
  if (nextOfStage_ == all.size()) all.emplace_back(device);
  tensor::Recording& next = all[nextOfStage_++];
  return next.exists() ? &next : nullptr;
}

void SpacePlan::setDrawKeys(std::uint64_t randomKey) {
  if (drawKeys.size() == 0) return;
  for (std::size_t node = 0; node < layout.nodes.size(); ++node) {
    const auto stream = layout.nodes[node]->drawStream();
    drawKeys.data()[node] =
        stream ? Random(randomKey, RandomPurpose::kDropout, *stream).bits64(0) : 0;
  }
  drawKeys.upload(drawKeys.size());
}

void SpacePlan::readBack(std::span<const std::vector<std::int64_t>> rowBegins) {
  for (const auto& [value, begin] : layout.readValues) {
    const std::vector<std::int64_t>& begins = rowBegins[at(graph.rowSpace(value))];
    const std::int64_t cols = graph.cols(value);
    tensor::run({&device, nullptr},
                PpCopyColumns{.rows = begins[at(index) + 1] - begins[at(index)],
                              .width = cols,
                              .in = buffers.value(value, 0),
                              .strideIn = cols,
                              .out = reinterpret_cast<float*>(scalars.data() + begin),
                              .strideOut = cols});
  }
  device.copyOut(scalarsRead.data(), scalars.data(), scalars.bytes());
}

void SpacePlan::copyValue(Value value, std::int64_t elements, float* out) const {
  const auto read = std::ranges::find(layout.readValues, value, &ReadValue::value);
  const auto bytes = static_cast<std::uint64_t>(elements) * sizeof(float);
  if (read == layout.readValues.end())
    device.copyOut(out, buffers.value(value, 0), bytes);
  else
    std::memcpy(out, scalarsRead.data() + read->begin, bytes);
}

double SpacePlan::sumOf(std::size_t loss, std::size_t sum) const {
  const std::size_t losses = graph.losses().size();
  double total = 0.0;
  for (std::size_t slice = 0; slice <= at(layout.slices()); ++slice)
    total += scalarsRead[(slice * losses + loss) * kSumsOfLoss + sum];
  return total;
}

bool SpacePlan::keptWeightsFinite() const {
  return std::bit_cast<std::uint64_t>(scalarsRead.back()) == 0;
}

void SpacePlan::prepare(std::size_t stage, const StepInput& batch) {
  Stage& into = stages[stage];
  const StepInput& input = into.rows.stage(batch, mesh.slice(space, batch.rows));
  for (std::size_t i = 0; i < into.lookups.size(); ++i) {
    if (!layout.runs[i]) continue;
    const std::size_t feature = at(graph.lookups()[i].feature);
    const FeatureHere& here = into.rows.here().features[feature];
    into.lookups[i].prepare(input.features[feature], here.ids, here.offsets, input.rows);
  }
  findRowOffsets(into);
  bringRows(into);
}

// Rows that any lookup of a table reads stay in its cache until the step is over.
void SpacePlan::bringRows(Stage& stage) const {
  const auto cacheOf = [this](ParameterIndex table) {
    return layout.capacity.isSplit(table) ? nullptr
                                          : wholeIn(parameters[at(table)], index).cache.get();
  };
  for (const Lookup& lookup : graph.lookups())
    if (RowCache* const cache = cacheOf(lookup.table)) cache->beginStep();
  const auto use = purpose == PlanPurpose::kTrain ? RowCache::Use::kTrains : RowCache::Use::kReads;
  for (std::size_t i = 0; i < stage.lookups.size(); ++i)
    if (RowCache* const cache = cacheOf(graph.lookups()[i].table); cache && layout.runs[i])
      stage.lookups[i].bring(*cache, use);
}

// Offsets of a sequence follow the ids that its lookup has truncated.
void SpacePlan::findRowOffsets(Stage& stage) const {
  for (std::size_t rows = 1; rows < stage.rowOffsets.size(); ++rows) {
    if (!layout.hasRows[rows]) continue;
    const RowSpaceSpec& spec = graph.rowSpaces()[rows];
    RowOffsets& offsets = stage.rowOffsets[rows];
    if (spec.lookup >= 0) {
      const LookupRows& lookup = stage.lookups[at(spec.lookup)];
      offsets = {lookup.host().offsets, lookup.here().offsets};
      continue;
    }
    const std::size_t feature = at(spec.feature);
    const auto found = stage.rows.input().features[feature].offsets;
    const auto accepted = static_cast<std::size_t>(stage.rows.input().rows) + 1;
    const std::int64_t most = layout.maxRows(graph, static_cast<RowSpace>(rows));
    if (found.size() != accepted || found.back() - found.front() > most)
      throw InvalidArgument(
          fmt::format("[nn.StepPlan] {} offsets of feature {}; accepted are {}, of at most {} ids",
                      found.size(), feature, accepted, most));
    offsets = {found.data(), stage.rows.here().features[feature].offsets};
  }
}

std::int64_t SpacePlan::rowsOf(std::size_t stage, RowSpace rows) const {
  return stages[stage].rowOffsets[at(rows)].rowsOf({0, stages[stage].rows.input().rows}).rows();
}

PlanView SpacePlan::view(std::size_t stage, const StepView& step) {
  setDrawKeys(step.randomKey);
  return {graph,
          layout,
          parameters,
          buffers,
          stages[stage].lookups,
          step.members,
          step.stacks,
          step.lossScales,
          negatives,
          step.rankOffsets,
          stages[stage].rowOffsets,
          step.rowBegins,
          stages[stage].rows.input(),
          stages[stage].rows.here(),
          step.batch,
          {step.rowBegins[kExamples], index},
          step.trains,
          drawKeys};
}

SliceRows SpacePlan::sliceRows(int slice, std::int64_t batchRows) const {
  const int rank = space.firstRank + slice / layout.slicesPerRank;
  const mesh::RowSlice ofRank = mesh.slice(rank, batchRows);
  const std::int64_t begin = ofRank.begin - mesh.slice(space, batchRows).begin;
  const std::int64_t part = slice % layout.slicesPerRank, parts = layout.slicesPerRank;
  return {rank, {begin + ofRank.rows() * part / parts, begin + ofRank.rows() * (part + 1) / parts}};
}

tensor::Precision SpacePlan::precisionOf(const PlanView& plan) const {
  return plan.trains ? graph.precision() : tensor::Precision::kFp32;
}

StepSlice SpacePlan::sliceOf(const PlanView& plan, int slice, Workers* inside,
                             tensor::Recording* recording) {
  const SliceRows rows = sliceRows(slice, plan.batch.rows);
  return {plan,
          {&mesh.device(rows.rank), inside, precisionOf(plan), recording},
          rows,
          gradientsOf(slice),
          lossSums(slice)};
}

ParameterGradients SpacePlan::gradientsOf(int slice) {
  float* const whole = denseGradients.data();
  float* const dense = whole + layout.wholeElements;
  float* const scratch = dense + layout.slices() * layout.denseElements;
  return {layout.denseElements > 0 ? dense + slice * layout.denseElements : nullptr,
          layout.parameterScratch > 0 ? scratch + slice * layout.parameterScratch : nullptr,
          nullptr};
}

// A node that works on the whole batch writes its dense gradients to the first slice; no other node
// writes those elements.
StepSlice SpacePlan::sliceOfAll(const PlanView& plan, Workers* inside,
                                tensor::Recording* recording) {
  ParameterGradients gradients = gradientsOf(0);
  if (layout.wholeElements > 0) gradients.whole = denseGradients.data();
  return {plan,
          {&device, inside, precisionOf(plan), recording},
          {space.firstRank, {0, plan.input.rows}},
          gradients,
          lossSums(layout.slices())};
}

void SpacePlan::groupTable(std::size_t table, std::size_t stage) {
  tables[table].group(wholeIn(parameter(tables[table].layout().table), index), lookups(stage));
}

bool SpacePlan::hasShard(const Parameter& of, std::size_t shard) const {
  const auto copies = static_cast<std::size_t>(of.copies());
  return of.sharding.owners(static_cast<int>(shard / copies))[shard % copies] == index;
}

bool SpacePlan::findGradients(const ShardedStack& stack) {
  gradientsOfStack.clear();
  bool any = false;
  for (const std::size_t lookup : stack.lookups()) {
    const Lookup& of = graph.lookups()[lookup];
    const bool trained = parameter(of.table).spec.trainable;
    gradientsOfStack.push_back(trained ? buffers.gradient(of.output, 0) : nullptr);
    any = any || gradientsOfStack.back();
  }
  return any;
}

void SpacePlan::mergeGradients(ShardedStack& stack, std::size_t stage) const {
  stack.mergeGradients({&device, nullptr}, index, gradientsOfStack, lookups(stage));
}

void SpacePlan::addSlices(std::int64_t begin, std::int64_t end, const tensor::Launch& launch) {
  if (end == begin || layout.slices() == 1) return;
  for (int slice = 0; slice < layout.slices(); ++slice)
    denseParts[at(slice)] = gradientsOf(slice).dense + begin;
  tensor::run(launch, PpSumParts{.count = end - begin,
                                 .parts = static_cast<std::int32_t>(denseParts.size()),
                                 .in = denseParts.data(),
                                 .out = denseGradient(begin)});
}

void SpacePlan::addLookups(const tensor::Launch& launch) {
  if (layout.wholeElements == 0) return;
  for (const TableUpdate& table : tables) addLookups(table, launch);
}

// gradient[row] += the gradients of its ids, in their order: what a step of gradient descent at
// rate −1 does to a weight.
void SpacePlan::addLookups(const TableUpdate& table, const tensor::Launch& launch) {
  const TableLayout& of = table.layout();
  if (of.wholeOffset < 0) return;
  const Value first = graph.lookups()[of.lookups[0]].output;
  tensor::UpdateTarget target =
      table.target(wholeIn(parameter(of.table), index), {buffers.gradient(first, 0)}, nullptr);
  target.weight = denseGradients.data() + of.wholeOffset;
  const ParameterSpec& spec = graph.parameters()[at(of.table)];
  // A node that reads the table has written its part of the gradient.
  if (!graph.readsWhole(of.table))
    tensor::run(launch, PpFill{target.weight, spec.rows * spec.cols, 0.0f});
  tensor::run(launch, PpSgd{.target = target, .learningRate = -1.0f});
}

void SpacePlan::addUpdates(std::size_t stage, std::span<ShardedStack> stacks) {
  updates.clear();
  for (const TableUpdate& table : tables)
    if (table.layout().wholeOffset < 0) addTable(table, stage);
  for (ShardedStack& stack : stacks) addStack(stack);
  addDense();
}

void SpacePlan::addToSums(const tensor::Launch& launch) {
  const std::array<const float*, 2> parts{denseSums.data(), denseGradients.data()};
  if (denseSums.size() > 0)
    tensor::run(launch, PpSumParts{.count = denseSums.size(),
                                   .parts = static_cast<std::int32_t>(parts.size()),
                                   .in = parts.data(),
                                   .out = denseSums.data()});
  updates.addToSums(launch);
}

void SpacePlan::takeSums(const tensor::Launch& launch, float scale) {
  const std::array<const float*, 2> parts{denseGradients.data(), denseSums.data()};
  if (const std::int64_t elements = denseSums.size(); elements > 0) {
    tensor::run(launch, PpSumParts{.count = elements,
                                   .parts = static_cast<std::int32_t>(parts.size()),
                                   .in = parts.data(),
                                   .out = denseGradients.data()});
    tensor::run(launch, PpScaleClamp{.values = denseGradients.data(),
                                     .count = elements,
                                     .factor = scale,
                                     .limit = tensor::kNoLimit});
    tensor::run(launch, PpFill{denseSums.data(), elements, 0.0f});
  }
  updates.takeSums(launch, scale);
}

void SpacePlan::addTable(const TableUpdate& table, std::size_t stage) {
  const TableLayout& of = table.layout();
  Parameter& updated = parameter(of.table);
  ParameterShard& whole = wholeIn(updated, index);
  if (!of.factored) {
    const Value first = graph.lookups()[of.lookups[0]].output;
    updates.add(updated, {}, table.target(whole, {buffers.gradient(first, 0)}, nullptr));
    return;
  }
  // The rows as the forward pass read them: their copy, or the table if there is none, which then
  // is not updated before it has been read.
  const FactoredGradient& factored = *of.factored;
  tensor::GatheredRows rows{buffers.value(factored.rows, 0)};
  const std::span<const LookupRows> prepared = lookups(stage);
  for (std::size_t i = 0; !rows.data && i < prepared.size(); ++i)
    if (graph.lookups()[i].output == factored.rows) {
      Parameter& read = parameter(graph.lookups()[i].table);
      const ParameterShard& readHere = wholeIn(read, index);
      rows = {readHere.weight.data(), prepared[i].here().ids, readHere.rowsHere};
    }
  updates.add(updated, {}, table.target(whole, rows, buffers.gradient(factored.scale, 0)));
}

void SpacePlan::addStack(ShardedStack& stack) {
  const mesh::StackShape& shape = stack.shape();
  for (std::size_t table = 0; table < stack.tables().size(); ++table) {
    Parameter& updated = parameter(stack.tables()[table]);
    if (!updated.spec.trainable) continue;
    for (int shard = 0; shard < shape.shards(); ++shard)
      for (int copy = 0; copy < shape.copies(); ++copy)
        if (hasShard(updated, static_cast<std::size_t>(shape.indexOf({shard, copy}))))
          updates.add(
              updated, {shard, copy},
              stack.target({&device, nullptr}, updated, static_cast<int>(table), {shard, copy}));
  }
}

void SpacePlan::addDense() {
  for (const TableLayout& table : layout.tables)
    if (table.wholeOffset >= 0) addDense(table.table, denseGradients.data() + table.wholeOffset);
  for (std::size_t of = 0; of < layout.denseOffsets.size(); ++of)
    if (const std::int64_t offset = layout.denseOffsets[of]; offset >= 0)
      addDense(static_cast<ParameterIndex>(of), gradientsOf(0).dense + offset);
}

void SpacePlan::addDense(ParameterIndex of, float* gradient) {
  Parameter& updated = parameter(of);
  updates.add(updated, {0, updated.copies() > 1 ? index : 0},
              tensor::everyRow(wholeIn(updated, index).weight.data(), updated.spec.rows,
                               updated.spec.cols, gradient),
              gradient);
}

namespace {

/// The features of a batch as a space stages them: ids where a lookup or a row space is of them.
std::vector<StagedInput::Column> stagedColumns(const Graph& graph, const PlanLayout& layout) {
  std::vector<StagedInput::Column> columns(layout.capacity.idsPerRow.size());
  const auto addIds = [&](std::int32_t feature) {
    if (feature < 0) return;
    if (at(feature) >= columns.size()) columns.resize(at(feature) + 1);
    const std::int64_t ids = layout.capacity.idsOf(feature);
    columns[at(feature)] = {std::max<std::int64_t>(1, ids), ids != 1};
  };
  for (const Lookup& lookup : graph.lookups()) addIds(lookup.feature);
  for (const RowSpaceSpec& rows : graph.rowSpaces()) addIds(rows.feature);
  return columns;
}

}  // namespace

std::int64_t SpacePlan::bytesFor(const Graph& graph, const PlanLayout& layout,
                                 std::span<const mesh::Sharding> shardings,
                                 const mesh::DeviceMesh& mesh, int space, PlanPurpose purpose,
                                 int stages) {
  const tensor::Device& device = mesh.spaceDevice(space);
  std::int64_t staged = StagedInput::bytesFor(device, stagedFrom(mesh), layout.capacity.rows,
                                              stagedColumns(graph, layout));
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (const Lookup& lookup = graph.lookups()[i]; layout.runs[i])
      staged += LookupRows::bytesFor(layout, lookup, graph.parameters()[at(lookup.table)], device,
                                     purpose);
  std::int64_t bytes = PlanBuffers::bytesFor(graph, layout, device) + stages * staged +
                       ParameterUpdates::bytesFor(graph, layout, shardings, mesh, space) +
                       (layout.gradientElements() + layout.sumElements()) *
                           static_cast<std::int64_t>(sizeof(float)) +
                       layout.stepScalars(graph) * static_cast<std::int64_t>(sizeof(double)) +
                       tensor::StagedArray<std::uint64_t>::bytesFor(device, drawKeysOf(layout));
  for (const TableLayout& table : layout.tables)
    if (!layout.capacity.isSplit(table.table) && !table.lookups.empty())
      bytes += TableUpdate::bytesFor(table, layout, graph, device);
  return bytes;
}

std::uint64_t SpacePlan::bytes() const {
  std::uint64_t total = buffers.bytes() + updates.bytes() + denseGradients.bytes() +
                        denseSums.bytes() + scalars.bytes() + drawKeys.bytes();
  for (const Stage& stage : stages) {
    total += stage.rows.bytes();
    for (std::size_t i = 0; i < stage.lookups.size(); ++i)
      if (layout.runs[i]) total += stage.lookups[i].bytes();
  }
  for (const TableUpdate& table : tables) total += table.bytes();
  return total;
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "engine/base/random.h"
#include "engine/mesh/placement.h"
#include "engine/tensor/ops/clear.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::nn {
namespace {

std::int64_t drawKeysOf(const Program& program) {
  const auto draws = [](const Node* node) { return node->drawStream().has_value(); };
  return std::ranges::any_of(program.nodes, draws) ? std::ssize(program.nodes) : 0;
}

/// The features of a batch as a space takes them: ids where a lookup or a row space is of them.
std::vector<StagedBatch::Column> columnsOf(const Graph& graph, const SpaceCapacity& capacity) {
  std::vector<StagedBatch::Column> columns(capacity.idsPerRow.size());
  for (std::size_t feature = 0; feature < columns.size(); ++feature)
    columns[feature].idsPerRow = capacity.idsPerRow[feature];
  const auto addIds = [&](std::int32_t feature) -> StagedBatch::Column* {
    if (feature < 0) return nullptr;
    if (at(feature) >= columns.size()) columns.resize(at(feature) + 1);
    columns[at(feature)].isRead = true;
    return &columns[at(feature)];
  };
  for (const Lookup& lookup : graph.lookups()) addIds(lookup.feature);
  for (const RowSpaceSpec& rows : graph.rowSpaces())
    if (StagedBatch::Column* const column = addIds(rows.feature))
      column->positionsOf = rows.positionsOf;
  return columns;
}

}  // namespace

std::int64_t rowsBefore(const mesh::DeviceMesh& mesh, int rank, const StepBatch& batch) {
  if (rank == mesh.ranks()) return batch.rows;
  if (batch.positions.empty()) return mesh.slice(rank, batch.rows).begin;
  return batch.lists[static_cast<std::size_t>(mesh.slice(rank, std::ssize(batch.lists) - 1).begin)];
}

Space::Space(const Graph& g, std::span<Parameter> p, const mesh::DeviceMesh& m, int spaceIndex,
             Program compiled)
    : graph(g),
      parameters(p),
      mesh(m),
      index(spaceIndex),
      local(m.localSpaces().of(spaceIndex)),
      ranks(m.spaces()[at(spaceIndex)]),
      device(m.spaceDevice(spaceIndex)),
      program(std::move(compiled)),
      updates(g, program, p, device, spaceIndex),
      gradients(device, program.wholeElements +
                            program.slices() * (program.denseElements + program.parameterScratch)),
      gradientSums(device, program.capacity.batchesPerStep > 1
                               ? program.wholeElements + program.denseElements
                               : 0),
      sliceGradients(at(program.slices())),
      scalars(device, program.stepScalars),
      scalarsRead(static_cast<std::size_t>(scalars.size())),
      negatives(g.losses().size()),
      secondsOfSlice(at(program.slices())),
      drawKeys(device, drawKeysOf(program)),
      batchScratch_(device, program.batchScratch),
      staged_(device, program.staged) {
  makeValues();
  addStage();
  if (program.preparesNext()) addStage();
  for (const TableGradient& table : program.tables)
    if (program.groupsIds(table)) tables.emplace_back(table, program, graph, device);
  // A node that works on the whole batch writes its gradients to the first slice alone.
  tensor::clear({&device, nullptr}, gradients);
  tensor::clear({&device, nullptr}, gradientSums);
  gradientsOfStack.reserve(graph.lookups().size());
}

// The gradients of the lookups of one table are contiguous, so that its update finds them all.
void Space::makeValues() {
  values_.assign(at(graph.values()), nullptr);
  valueGradients_ = values_;
  for (std::size_t rows = 0; rows < program.scratchCols.size(); ++rows)
    scratch_.emplace_back(
        device, program.maxRows(graph, static_cast<RowSpace>(rows)) * program.scratchCols[rows]);
  const auto rowsOfValue = [&](std::size_t lookup) {
    return program.maxRows(graph, graph.rowSpace(graph.lookups()[lookup].output));
  };
  for (const TableGradient& table : program.tables) {
    if (table.factored || table.lookups.empty()) continue;
    const std::int64_t cols = graph.parameters()[at(table.table)].cols;
    std::int64_t rows = 0;
    for (const std::size_t lookup : table.lookups) rows += rowsOfValue(lookup);
    float* next = memory_.emplace_back(device, rows * cols).data();
    for (const std::size_t lookup : table.lookups) {
      valueGradients_[at(graph.lookups()[lookup].output)] = next;
      next += rowsOfValue(lookup) * cols;
    }
  }
  std::vector<float*> shared;
  for (const BufferSharing::Buffer& buffer : program.sharing.buffers)
    shared.push_back(
        memory_.emplace_back(device, program.maxRows(graph, buffer.rows) * buffer.cols).data());
  for (Value value = 0; value < graph.values(); ++value) {
    if (const std::int32_t of = program.sharing.ofValue[at(value)]; of >= 0)
      values_[at(value)] = shared[at(of)];
    if (const std::int32_t of = program.sharing.ofGradient[at(value)]; of >= 0)
      valueGradients_[at(value)] = shared[at(of)];
  }
}

void Space::addStage() {
  const auto from =
      mesh.spaces().size() == 1 ? StagedBatch::From::kViews : StagedBatch::From::kCopies;
  Stage& stage = stages.emplace_back(
      Stage{StagedBatch(device, from, program.capacity.rows, columnsOf(graph, program.capacity)),
            {},
            std::vector<RowOffsets>(graph.rowSpaces().size())});
  stage.examplesAt.resize(graph.rowSpaces().size());
  for (std::size_t rows = 1; rows < stage.examplesAt.size(); ++rows)
    if (program.capacity.lists.count > 0 && program.hasRows[rows])
      stage.examplesAt[rows] = {device, program.maxRows(graph, static_cast<RowSpace>(rows)) + 1};
  stage.lookups.reserve(graph.lookups().size());
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    stage.lookups.emplace_back(program, i, graph, device);
}

void Space::begin() {
  tensor::clear({&device, nullptr}, scalars);
  std::ranges::fill(secondsOfSlice, 0.0);
  std::ranges::fill(negatives, NegativesSums{});
  pieces = replayed = 0;
}

void Space::record(bool isFull) {
  records_ = isFull && program.trains() && !device.isHost();
  nextRecording_ = 0;
  if (records_ && recordings_.size() <= now) recordings_.resize(now + 1);
}

tensor::Recording* Space::nextRecording() {
  if (!records_) return nullptr;
  std::vector<tensor::Recording>& all = recordings_[now];
  if (nextRecording_ == all.size()) all.emplace_back(device);
  tensor::Recording& next = all[nextRecording_++];
  return next.exists() ? &next : nullptr;
}

void Space::setDrawKeys(std::uint64_t randomKey) {
  if (drawKeys.size() == 0) return;
  for (std::size_t node = 0; node < program.nodes.size(); ++node) {
    const auto stream = program.nodes[node]->drawStream();
    drawKeys.data()[node] =
        stream ? Random(randomKey, RandomPurpose::kDropout, *stream).bits64(0) : 0;
  }
  drawKeys.upload(drawKeys.size());
}

void Space::prepare(std::size_t stage, const StepBatch& batch) {
  Stage& into = stages[stage];
  const mesh::RowSlice rows{rowsBefore(mesh, ranks.firstRank, batch),
                            rowsBefore(mesh, ranks.firstRank + ranks.ranks, batch)};
  const StepBatch& input = into.rows.stage(batch, rows);
  for (std::size_t i = 0; i < into.lookups.size(); ++i) {
    if (!program.runs[i]) continue;
    const std::size_t feature = at(graph.lookups()[i].feature);
    const FeatureHere& here = into.rows.here().features[feature];
    into.lookups[i].prepare(input.features[feature], here.ids, here.offsets, input.rows);
  }
  findRowOffsets(into);
  if (!batch.positions.empty()) findExamples(into, batch, rows);
  bringRows(into);
}

// Rows that any lookup of a table reads stay in its cache until the step is over.
void Space::bringRows(Stage& stage) const {
  const auto cacheOf = [this](ParameterIndex table) {
    return program.capacity.isSplit(table) ? nullptr
                                           : wholeIn(parameters[at(table)], index).cache.get();
  };
  for (const Lookup& lookup : graph.lookups())
    if (RowCache* const cache = cacheOf(lookup.table)) cache->beginStep();
  const auto use = program.trains() ? RowCache::Use::kTrains : RowCache::Use::kReads;
  for (std::size_t i = 0; i < stage.lookups.size(); ++i)
    if (RowCache* const cache = cacheOf(graph.lookups()[i].table); cache && program.runs[i])
      stage.lookups[i].bring(*cache, use);
}

// Offsets of a sequence follow the ids that its lookup has truncated.
void Space::findRowOffsets(Stage& stage) const {
  for (std::size_t rows = 1; rows < stage.rowOffsets.size(); ++rows) {
    if (!program.hasRows[rows]) continue;
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
    const std::int64_t most = program.maxRows(graph, static_cast<RowSpace>(rows));
    if (found.size() != accepted || found.back() - found.front() > most)
      throw InvalidArgument(fmt::format(
          "[nn.StepRunner] {} offsets of feature {}; accepted are {}, of at most {} ids",
          found.size(), feature, accepted, most));
    offsets = {found.data(), stage.rows.here().features[feature].offsets};
  }
}

// Examples of a list ascend, and so do their positions.
void Space::findExamples(Stage& stage, const StepBatch& batch, mesh::RowSlice rows) const {
  for (std::size_t space = 1; space < stage.rowOffsets.size(); ++space) {
    tensor::StagedArray<std::int32_t>& examplesAt = stage.examplesAt[space];
    const std::int32_t* const offsets = stage.rowOffsets[space].host;
    if (examplesAt.size() == 0 || !offsets) continue;
    std::int64_t position = 0;
    std::int32_t* const out = examplesAt.data();
    auto list = std::ranges::lower_bound(batch.lists, rows.begin);
    for (; list != batch.lists.end() && list + 1 != batch.lists.end() && *list < rows.end; ++list) {
      const std::int64_t carrier = *list - rows.begin;
      const std::int64_t first = offsets[carrier] - offsets[0],
                         end = offsets[carrier + 1] - offsets[0];
      for (std::int64_t row = *list; row < list[1]; ++row) {
        const std::int64_t back = batch.positions[static_cast<std::size_t>(row)];
        const std::int64_t of = end - 1 - back;
        if (of < first || of >= end)
          throw InvalidArgument(fmt::format(
              "[nn.StepRunner] example {} is {} positions before the end of a sequence of {}", row,
              back, end - first));
        while (position <= of) out[position++] = static_cast<std::int32_t>(row - rows.begin);
      }
    }
    const std::int64_t positions = offsets[rows.rows()] - offsets[0];
    const auto examples =
        static_cast<std::int32_t>(std::min(rows.end, batch.exampleRows()) - rows.begin);
    while (position <= positions) out[position++] = examples;
    examplesAt.upload(position);
  }
}

std::int64_t Space::rowsOf(RowSpace rows) const {
  return stage().rowOffsets[at(rows)].rowsOf({0, stage().rows.input().rows}).rows();
}

SliceRows Space::sliceRows(int slice, const StepBatch& batch) const {
  const int rank = ranks.firstRank + slice / program.slicesPerRank;
  const std::int64_t first = rowsBefore(mesh, ranks.firstRank, batch);
  const mesh::RowSlice ofRank{rowsBefore(mesh, rank, batch), rowsBefore(mesh, rank + 1, batch)};
  const mesh::RowSlice lists = mesh.slice(rank, std::ssize(batch.lists) - 1);
  const std::int64_t parts = program.slicesPerRank;
  const auto begin = [&](std::int64_t part) {
    if (part == parts) return ofRank.end - first;
    if (batch.positions.empty()) return ofRank.begin + ofRank.rows() * part / parts - first;
    const std::int64_t list = lists.begin + lists.rows() * part / parts;
    return batch.lists[static_cast<std::size_t>(list)] - first;
  };
  const std::int64_t part = slice % program.slicesPerRank;
  return {rank, {begin(part), begin(part + 1)}};
}

ParameterGradients Space::gradientsOf(int slice) {
  float* const dense = gradients.data() + program.wholeElements;
  float* const scratches = dense + program.slices() * program.denseElements;
  return {program.denseElements > 0 ? dense + slice * program.denseElements : nullptr,
          program.parameterScratch > 0 ? scratches + slice * program.parameterScratch : nullptr,
          nullptr};
}

void Space::groupTable(std::size_t table) {
  tables[table].group(wholeIn(parameter(tables[table].of().table), index), stage().lookups);
}

void Space::mergeGradients(ShardedStack& stack) {
  gradientsOfStack.clear();
  for (const std::size_t lookup : stack.lookups()) {
    const Lookup& of = graph.lookups()[lookup];
    const bool isTrained = parameter(of.table).spec.trainable;
    gradientsOfStack.push_back(isTrained ? gradient(of.output, 0) : nullptr);
  }
  stack.mergeGradients({&device, nullptr}, index, gradientsOfStack, stage().lookups);
}

void Space::addSlices(std::int64_t begin, std::int64_t end, const tensor::Launch& launch) {
  if (end == begin || program.slices() == 1) return;
  for (int slice = 0; slice < program.slices(); ++slice)
    sliceGradients[at(slice)] = gradientsOf(slice).dense + begin;
  tensor::run(launch, PpSumParts{.count = end - begin,
                                 .parts = static_cast<std::int32_t>(sliceGradients.size()),
                                 .in = sliceGradients.data(),
                                 .out = gradientsOf(0).dense + begin});
}

void Space::addLookups(const tensor::Launch& launch) {
  if (program.wholeElements == 0) return;
  for (const TableUpdate& table : tables) addLookups(table, launch);
}

// gradient[row] += the gradients of its ids, in their order: what a step of gradient descent at
// rate −1 does to a weight.
void Space::addLookups(const TableUpdate& table, const tensor::Launch& launch) {
  const TableGradient& of = table.of();
  if (of.wholeOffset < 0) return;
  const Value first = graph.lookups()[of.lookups[0]].output;
  tensor::UpdateTarget target =
      table.target(wholeIn(parameter(of.table), index), {gradient(first, 0)}, nullptr);
  target.weight = gradients.data() + of.wholeOffset;
  const ParameterSpec& spec = graph.parameters()[at(of.table)];
  // A node that reads the table has written its part of the gradient.
  if (!graph.readsWhole(of.table))
    tensor::run(launch, PpFill{target.weight, spec.rows * spec.cols, 0.0f});
  tensor::run(launch, PpSgd{.target = target, .learningRate = -1.0f});
}

void Space::collectUpdates() {
  updates.clear();
  for (const TableUpdate& table : tables)
    if (table.of().wholeOffset < 0) addTable(table);
  for (ShardedStack& stack : *stacks) addStack(stack);
  for (const TableGradient& table : program.tables)
    if (table.wholeOffset >= 0) addDense(table.table, gradients.data() + table.wholeOffset);
  for (std::size_t of = 0; of < program.denseOffsets.size(); ++of)
    if (const std::int64_t offset = program.denseOffsets[of]; offset >= 0)
      addDense(static_cast<ParameterIndex>(of), gradientsOf(0).dense + offset);
}

void Space::addToSums(const tensor::Launch& launch) {
  const std::array<const float*, 2> parts{gradientSums.data(), gradients.data()};
  if (gradientSums.size() > 0)
    tensor::run(launch, PpSumParts{.count = gradientSums.size(),
                                   .parts = static_cast<std::int32_t>(parts.size()),
                                   .in = parts.data(),
                                   .out = gradientSums.data()});
  updates.addToSums(launch);
}

void Space::takeSums(const tensor::Launch& launch, float scale) {
  const std::array<const float*, 2> parts{gradients.data(), gradientSums.data()};
  if (const std::int64_t elements = gradientSums.size(); elements > 0) {
    tensor::run(launch, PpSumParts{.count = elements,
                                   .parts = static_cast<std::int32_t>(parts.size()),
                                   .in = parts.data(),
                                   .out = gradients.data()});
    tensor::run(launch, PpScaleClamp{.values = gradients.data(),
                                     .count = elements,
                                     .factor = scale,
                                     .limit = tensor::kNoLimit});
    tensor::run(launch, PpFill{gradientSums.data(), elements, 0.0f});
  }
  updates.takeSums(launch, scale);
}

void Space::addTable(const TableUpdate& table) {
  const TableGradient& of = table.of();
  Parameter& updated = parameter(of.table);
  ParameterShard& whole = wholeIn(updated, index);
  if (!of.factored) {
    const Value first = graph.lookups()[of.lookups[0]].output;
    updates.add(updated, {}, table.target(whole, {gradient(first, 0)}, nullptr));
    return;
  }
  // The rows as the forward pass read them: their copy, or the table if there is none, which then
  // is not updated before it has been read.
  const FactoredGradient& factored = *of.factored;
  tensor::GatheredRows rows{value(factored.rows, 0)};
  const std::vector<LookupRows>& prepared = stage().lookups;
  for (std::size_t i = 0; !rows.data && i < prepared.size(); ++i)
    if (graph.lookups()[i].output == factored.rows) {
      Parameter& read = parameter(graph.lookups()[i].table);
      const ParameterShard& readHere = wholeIn(read, index);
      rows = {readHere.weight.data(), prepared[i].here().ids, readHere.rowsHere};
    }
  updates.add(updated, {}, table.target(whole, rows, gradient(factored.scale, 0)));
}

void Space::addStack(ShardedStack& stack) {
  const mesh::StackShape& shape = stack.shape();
  for (std::size_t table = 0; table < stack.tables().size(); ++table) {
    Parameter& updated = parameter(stack.tables()[table]);
    if (!updated.spec.trainable) continue;
    for (int shard = 0; shard < shape.shards(); ++shard)
      for (int copy = 0; copy < shape.copies(); ++copy)
        if (isIn(updated, static_cast<std::size_t>(shape.indexOf({shard, copy})), index))
          updates.add(
              updated, {shard, copy},
              stack.target({&device, nullptr}, updated, static_cast<int>(table), {shard, copy}));
  }
}

void Space::addDense(ParameterIndex of, float* gradient) {
  Parameter& updated = parameter(of);
  updates.add(updated, {0, updated.copies() > 1 ? index : 0},
              tensor::everyRow(wholeIn(updated, index).weight.data(), updated.spec.rows,
                               updated.spec.cols, gradient),
              gradient);
}

void Space::readBack(std::span<const std::vector<std::int64_t>> rowBegins) {
  for (const auto& [of, begin] : program.readValues) {
    const std::vector<std::int64_t>& begins = rowBegins[at(graph.rowSpace(of))];
    const std::int64_t cols = graph.cols(of);
    tensor::run({&device, nullptr},
                PpCopyColumns{.rows = begins[at(index) + 1] - begins[at(index)],
                              .width = cols,
                              .in = value(of, 0),
                              .strideIn = cols,
                              .out = reinterpret_cast<float*>(scalars.data() + begin),
                              .strideOut = cols});
  }
  device.copyOut(scalarsRead.data(), scalars.data(), scalars.bytes());
}

void Space::copyValue(Value of, std::int64_t elements, float* out) const {
  const auto read = std::ranges::find(program.readValues, of, &ReadValue::value);
  const auto bytes = static_cast<std::uint64_t>(elements) * sizeof(float);
  if (read == program.readValues.end())
    device.copyOut(out, value(of, 0), bytes);
  else
    std::memcpy(out, scalarsRead.data() + read->begin, bytes);
}

double Space::sumOf(std::size_t loss, std::size_t sum) const {
  const std::size_t losses = graph.losses().size();
  double total = 0.0;
  for (std::size_t slice = 0; slice <= at(program.slices()); ++slice)
    total += scalarsRead[(slice * losses + loss) * kSumsOfLoss + sum];
  return total;
}

bool Space::keptWeightsFinite() const {
  return std::bit_cast<std::uint64_t>(scalarsRead.back()) == 0;
}

namespace {

/// A cache holds the rows of one step, which it is told before.
void requireCacheable(const Graph& graph, ParameterIndex of, const Parameter& parameter,
                      const mesh::DeviceMesh& mesh, const StepTask& task) {
  const auto isCached = [](const ParameterShard& shard) { return shard.cache != nullptr; };
  if (std::ranges::none_of(parameter.shards, isCached)) return;
  const char* what = nullptr;
  if (graph.readsWhole(of)) what = "is read as a whole";
  if (mesh.spaces().size() > 1 && parameter.sharding.isReplicated()) what = "is replicated";
  const bool trains = task.purpose == StepPurpose::kTrain && parameter.spec.trainable;
  if (trains && experiment::movesEveryRow(parameter.spec.optimizer))
    what = "has an optimizer that moves every row";
  if (trains && task.batchesPerStep > 1) what = "adds up gradients of several batches";
  if (what)
    throw InvalidArgument(
        fmt::format("[nn.StepRunner] {} {}, and it is cached", parameter.spec.name, what));
}

void requireHeld(const Graph& graph, ParameterIndex of, const Parameter& parameter,
                 const mesh::DeviceMesh& mesh) {
  if (parameter.sharding.isReplicated()) return;
  if (graph.readsWhole(of))
    throw InvalidArgument(fmt::format(
        "[nn.StepRunner] {} is read as a whole, and it is sharded; a replicated table is accepted",
        parameter.spec.name));
  if (mesh.spaces().size() == 1)
    throw InvalidArgument(fmt::format(
        "[nn.StepRunner] {} is split in one memory; mesh::heldSharding() says what one holds",
        parameter.spec.name));
}

/// Bytes of a table in the host's memory whose cache has the rows of `spec`.
ParameterBytes cachedTableBytes(ParameterSpec spec, std::int64_t rows) {
  const auto scratch =
      static_cast<std::uint64_t>(RowCache::hostScratchFor(rows, spec.rows, cachedColumns(spec)));
  spec.rows = rows;
  ParameterBytes bytes = parameterBytes(spec);
  bytes.scratch = scratch;
  return bytes;
}

/// A parameter as it lies on a mesh, without memory.
Parameter outlineOf(const ParameterSpec& spec, const mesh::Sharding& sharding,
                    const mesh::DeviceMesh& mesh) {
  Parameter parameter{spec, sharding, {}, 0};
  const std::vector<tensor::Device> devices = mesh::devicesOf(sharding, mesh);
  const std::size_t copies = devices.size() / static_cast<std::size_t>(sharding.shards());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    ParameterShard& shard = parameter.shards.emplace_back();
    shard.rows = sharding.shardRows(static_cast<int>(i / copies));
    shard.cols = sharding.shardCols(static_cast<int>(i / copies));
    shard.rowsHere = spec.rowsIn(devices[i], shard.rows);
  }
  return parameter;
}

}  // namespace

Spaces::Spaces(const Graph& graph, std::span<Parameter> parameters, const mesh::DeviceMesh& mesh,
               const StepTask& task) {
  if (task.capacityRows < 1)
    throw InvalidArgument(
        fmt::format("[nn.StepRunner] capacity {}; at least 1 row is accepted", task.capacityRows));
  std::vector<mesh::Sharding> shardings;
  for (std::size_t of = 0; of < parameters.size(); ++of) {
    requireCacheable(graph, static_cast<ParameterIndex>(of), parameters[of], mesh, task);
    requireHeld(graph, static_cast<ParameterIndex>(of), parameters[of], mesh);
    shardings.push_back(parameters[of].sharding);
  }
  const mesh::LocalRange local = mesh.localSpaces();
  for (int space = local.first; space < local.end(); ++space)
    all.push_back(std::make_unique<Space>(graph, parameters, mesh, space,
                                          compile(graph, task, mesh, space, shardings)));
  const Program& program = all[0]->program;
  for (const StackTables& stack : program.stacks)
    stacks.emplace_back(graph, program, parameters, stack, mesh, program.preparesNext() ? 2 : 1);
  for (const auto& space : all) space->stacks = &stacks;
  if (mesh.spaces().size() == 1 && all[0]->device.isHost()) return;
  outputs.resize(at(graph.values()));
  for (const Value target : task.targets)
    outputs[at(target)] = {tensor::hostFor(all[0]->device),
                           outputElements(graph, target, task.capacityRows)};
}

std::vector<SpaceParameters> spaceParameters(const Graph& graph,
                                             std::span<const mesh::Sharding> shardings,
                                             const mesh::DeviceMesh& mesh) {
  std::vector<SpaceParameters> spaces(mesh.spaces().size());
  for (std::size_t index = 0; index < shardings.size(); ++index) {
    ParameterSpec spec = graph.parameters()[index];
    const bool isTable = spec.sparse;
    for (int shard = 0; shard < shardings[index].shards(); ++shard) {
      spec.cols = shardings[index].shardCols(shard);
      for (const int space : shardings[index].owners(shard)) {
        spec.rows = spec.rowsIn(mesh.spaceDevice(space), shardings[index].shardRows(shard));
        ParameterBytes bytes = parameterBytes(spec);
        if (const std::int64_t all = shardings[index].shardRows(shard); spec.rows < all) {
          bytes.scratch +=
              static_cast<std::uint64_t>(RowCache::deviceBytesFor(spec.rows, cachedColumns(spec)));
          spaces[at(space)].onHost.add(cachedTableBytes(spec, all));
        }
        (isTable ? spaces[at(space)].tables : spaces[at(space)].layers).add(bytes);
      }
    }
  }
  return spaces;
}

ParameterBytes onHost(std::span<const SpaceParameters> spaces) {
  ParameterBytes total;
  for (const SpaceParameters& space : spaces) total.add(space.onHost);
  return total;
}

SpaceBytes spaceBytes(const Graph& graph, const mesh::DeviceMesh& mesh, int space,
                      const StepTask& task, const std::vector<bool>& split) {
  const mesh::DeviceMesh dry = mesh.dry();
  std::vector<Parameter> parameters;
  for (const ParameterSpec& spec : graph.parameters())
    parameters.push_back(outlineOf(
        spec,
        mesh::heldSharding(mesh::Sharding::replicated(spec.rows, spec.cols, mesh.ranks()), mesh),
        dry));
  const auto count = dry.spaceDevice(space).memoryLimit();
  Space one(graph, parameters, dry, space,
            compile(graph, task, spaceCapacity(dry, space, task, split)));
  const auto all = static_cast<std::int64_t>(count->inUse());
  one.addStage();
  return {all, static_cast<std::int64_t>(count->inUse()) - all};
}

std::vector<std::int64_t> stepBytes(const Graph& graph, std::span<const mesh::Sharding> shardings,
                                    const mesh::DeviceMesh& mesh, const StepTask& task) {
  const mesh::DeviceMesh dry = mesh.dry();
  std::vector<Parameter> parameters;
  for (std::size_t of = 0; of < shardings.size(); ++of)
    parameters.push_back(outlineOf(graph.parameters()[of], shardings[of], dry));
  const Spaces spaces(graph, parameters, dry, task);
  std::vector<std::int64_t> ofRank;
  for (const mesh::SpaceRanks& space : dry.spaces()) {
    const auto bytes =
        static_cast<std::int64_t>(dry.device(space.firstRank).memoryLimit()->inUse());
    for (int i = 0; i < space.ranks; ++i)
      ofRank.push_back(bytes * (i + 1) / space.ranks - bytes * i / space.ranks);
  }
  return ofRank;
}

}  // namespace parapet::nn

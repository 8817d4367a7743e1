// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/program.h"

#include <algorithm>

namespace parapet::nn {
namespace {

// Nodes that the targets depend on, in execution order.
std::vector<const Node*> neededNodes(const Graph& graph, const std::vector<Value>& targets) {
  std::vector<bool> needed(at(graph.values()), false);
  for (const Value target : targets) needed[at(target)] = true;
  std::vector<const Node*> nodes;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    if (!needed[at((*node)->output())]) continue;
    for (const Value input : (*node)->inputs()) needed[at(input)] = true;
    nodes.push_back(node->get());
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

// Whether each value depends on a trained parameter.
std::vector<bool> trainedValues(const Graph& graph, const std::vector<const Node*>& nodes) {
  std::vector<bool> trained(at(graph.values()), false);
  for (const Node* node : nodes) {
    bool any = false;
    for (const ParameterIndex parameter : node->parameters())
      any = any || graph.parameters()[at(parameter)].trainable;
    for (const Value input : node->inputs()) any = any || trained[at(input)];
    trained[at(node->output())] = any;
  }
  return trained;
}

constexpr std::int64_t kCacheLine = 16;  // of f32
std::int64_t wholeCacheLines(std::int64_t elements) {
  return (elements + kCacheLine - 1) / kCacheLine * kCacheLine;
}

// f64 that so many f32 take.
std::int64_t scalarsOf(std::int64_t elements) {
  return (elements + 1) / 2;
}

// Rows of a slice below which another slice costs more than it gains.
constexpr std::int64_t kSliceRows = 64;
// Work of a slice, in multiplications and additions, below which it is not worth a worker.
constexpr double kSliceFlops = 1e6;
constexpr std::int64_t kMaxSlices = 8;
// Every slice has gradients of its own of all dense parameters, which are then added up.
constexpr std::int64_t kMaxDenseElements = 8 << 20;
// Multiplications and additions of a batch below which one thread is faster alone.
constexpr double kMinParallelFlops = 1e6;

/// Whether an optimizer does the same with a gradient of all rows, 0 in most, as with that of the
/// rows that have one.
bool takesWholeGradient(const experiment::Optimizer& optimizer) {
  const bool isLazy = optimizer.sparseUpdate == experiment::SparseUpdate::kLazy;
  const bool decays = optimizer.weightDecay != 0.0;
  switch (optimizer.kind) {
    case experiment::OptimizerKind::kSgd:
      return !isLazy || (optimizer.momentum == 0.0 && !decays);
    case experiment::OptimizerKind::kAdagrad:
    case experiment::OptimizerKind::kRowwiseAdagrad:
      return optimizer.epsilon > 0.0 && (!isLazy || !decays);  // without epsilon 0/0
    case experiment::OptimizerKind::kAdam:
    case experiment::OptimizerKind::kAdamW:
      return !isLazy;
    case experiment::OptimizerKind::kFtrl:  // makes weights anew from its sums
      return false;
  }
  return false;
}

// The first node that reads each parameter, among those that run; nodes.size(): none.
std::vector<std::size_t> firstReaders(const Program& program, const Graph& graph) {
  const std::vector<const Node*>& nodes = program.nodes;
  std::vector<std::size_t> readers(graph.parameters().size(), nodes.size());
  for (std::size_t node = nodes.size(); node-- > 0;)
    for (const ParameterIndex of : nodes[node]->parameters()) readers[at(of)] = node;
  return readers;
}

// The order in which nodes run backward is that in which gradients meet.
void placeAccumulation(Program& program, const Graph& graph) {
  std::vector<bool> begun(at(graph.values()), false);
  std::vector<bool> begunParameters(graph.parameters().size(), false);
  for (std::size_t index = program.nodes.size(); index-- > 0;) {
    const Node& node = *program.nodes[index];
    std::vector<std::int64_t> added(graph.rowSpaces().size(), 0);
    for (const Value input : node.inputs()) {
      if (!program.hasGradient[at(input)]) continue;
      if (begun[at(input)]) {
        program.accumulated[index].push_back(input);
        added[at(graph.rowSpace(input))] += graph.cols(input);
      }
      begun[at(input)] = true;
    }
    for (std::size_t rows = 0; rows < added.size(); ++rows)
      if (!node.accumulatesGradients())
        program.scratchCols[rows] = std::max(program.scratchCols[rows], added[rows]);
    std::int64_t elements = 0;
    for (const ParameterIndex of : node.parameters()) {
      if (program.denseOffsets[at(of)] < 0 || !program.runsBackward(index)) continue;
      if (begunParameters[at(of)]) {
        program.accumulatedParameters[index].push_back(of);
        elements += graph.parameters()[at(of)].rows * graph.parameters()[at(of)].cols;
      }
      begunParameters[at(of)] = true;
    }
    program.parameterScratch = std::max(program.parameterScratch, elements);
  }
}

void placeScalars(Program& program, const Graph& graph) {
  program.lossScalars =
      (program.slices() + 1) * static_cast<std::int64_t>(graph.losses().size() * kSumsOfLoss);
  std::int64_t end = program.lossScalars;
  for (const Value target : program.targets) {
    const std::int64_t elements = outputElements(graph, target, program.capacity.rows);
    if (elements == 0 || !program.trains() || program.capacity.hostReads) continue;
    program.readValues.push_back({target, end});
    end += scalarsOf(elements);
  }
  program.stepScalars = end + 1;
}

}  // namespace

bool runsInParallel(const Graph& graph, StepPurpose purpose, std::int64_t batchRows) {
  const double perExample = purpose == StepPurpose::kTrain
                                ? graph.trainingFlopsPerExample(batchRows)
                                : graph.flopsPerExample(batchRows);
  return static_cast<double>(batchRows) * perExample >= kMinParallelFlops;
}

bool addsWholeGradient(const ParameterSpec& spec, std::int64_t ids, std::size_t spaces) {
  if (!takesWholeGradient(spec.optimizer)) return false;
  const auto count = static_cast<std::int64_t>(spaces);
  return std::min(ids, spec.rows) * (spec.cols + 1) * count > 2 * spec.rows * spec.cols;
}

std::vector<bool> exchangedTables(const Graph& graph, const mesh::DeviceMesh& mesh,
                                  const StepTask& task, const std::vector<bool>& replicated) {
  const std::size_t spaces = mesh.spaces().size();
  const std::int64_t rows = largestSpaceRows(mesh, task.capacityRows, task.lists);
  const SpaceCapacity capacity{.idsPerRow = task.idsPerRow};
  std::vector<std::int64_t> ids(graph.parameters().size(), 0);  // of a space, by table
  for (const Lookup& lookup : graph.lookups())
    ids[at(lookup.table)] += rows * capacity.idsOf(lookup);
  std::vector<bool> exchanged;
  for (ParameterIndex of = 0; of < static_cast<ParameterIndex>(graph.parameters().size()); ++of) {
    const ParameterSpec& spec = graph.parameters()[at(of)];
    const bool updates = task.purpose == StepPurpose::kTrain && spec.sparse && spec.trainable &&
                         spaces > 1 && !graph.readsWhole(of);
    exchanged.push_back(!replicated[at(of)] ||
                        (updates && !addsWholeGradient(spec, ids[at(of)], spaces)));
  }
  return exchanged;
}

namespace {

// Extra negatives follow the last list, and are all with the last rank.
std::int64_t rowsOfRanks(const mesh::DeviceMesh& mesh, std::int64_t ranks, std::int64_t batchRows,
                         const ListCapacity& lists) {
  const auto share = [&](std::int64_t of) {
    return (of * ranks + mesh.ranks() - 1) / mesh.ranks();
  };
  if (lists.count == 0) return share(batchRows);
  return share(lists.count) * lists.rows + batchRows - lists.count * lists.rows;
}

}  // namespace

std::int64_t largestSpaceRows(const mesh::DeviceMesh& mesh, std::int64_t batchRows,
                              const ListCapacity& lists) {
  const int most = std::ranges::max_element(mesh.spaces(), {}, &mesh::SpaceRanks::ranks)->ranks;
  return rowsOfRanks(mesh, most, batchRows, lists);
}

SpaceCapacity spaceCapacity(const mesh::DeviceMesh& mesh, int space, const StepTask& task,
                            std::vector<bool> split) {
  const std::int64_t ranks = mesh.spaces()[at(space)].ranks;
  return {rowsOfRanks(mesh, ranks, task.capacityRows, task.lists),
          static_cast<int>(ranks),
          task.idsPerRow,
          std::move(split),
          static_cast<int>(mesh.spaces().size()),
          task.capacityRows,
          mesh.spaceDevice(space).isHost(),
          task.batchesPerStep,
          task.lists};
}

std::int64_t outputElements(const Graph& graph, Value target, std::int64_t capacityRows) {
  if (std::ranges::find(graph.losses(), target, &LossSpec::value) != graph.losses().end()) return 0;
  return capacityRows * graph.rowSpaces()[at(graph.rowSpace(target))].maxPerExample *
         graph.cols(target);
}

std::int64_t Program::maxRows(const Graph& graph, RowSpace rows) const {
  if (rows == kExamples) return capacity.rows;
  const RowSpaceSpec& spec = graph.rowSpaces()[at(rows)];
  const std::int64_t ids = std::max<std::int64_t>(1, capacity.idsOf(spec.feature));
  return capacity.rows * std::min(ids, spec.maxPerExample);
}

bool Program::preparesNext() const {
  return std::ranges::any_of(
      step, [](const Line& line) { return std::holds_alternative<PrepareNext>(line.what); });
}

Program compile(const Graph& graph, const StepTask& task, const mesh::DeviceMesh& mesh, int space,
                std::span<const mesh::Sharding> shardings) {
  std::vector<bool> replicated;
  for (const mesh::Sharding& sharding : shardings) replicated.push_back(sharding.isReplicated());
  return compile(graph, task,
                 spaceCapacity(mesh, space, task, exchangedTables(graph, mesh, task, replicated)),
                 shardings);
}

Program compile(const Graph& graph, const StepTask& task, SpaceCapacity capacity,
                std::span<const mesh::Sharding> shardings) {
  Program program{std::move(capacity), task.purpose, task.targets};
  lowerGraph(program, graph);
  placeGradients(program, graph);
  readTablesInPlace(program, graph);
  placeScratch(program, graph);
  shareBuffers(program, graph);
  cutSlices(program, graph);
  placeScalars(program, graph);
  stackTables(program, graph, shardings, task.stackTables);
  writeInstructions(program, graph, shardings, task.overlap);
  return program;
}

void lowerGraph(Program& program, const Graph& graph) {
  program.nodes = neededNodes(graph, program.targets);
  program.hasValue.assign(at(graph.values()), false);
  program.hasRows.assign(graph.rowSpaces().size(), false);
  for (const Node* node : program.nodes) {
    program.hasValue[at(node->output())] = true;
    program.hasRows[at(graph.rowSpace(node->output()))] = true;
    for (const Value saved : node->saved()) program.hasValue[at(saved)] = true;
  }
  for (const Lookup& lookup : graph.lookups())
    program.runs.push_back(program.hasValue[at(lookup.output)]);
}

void placeGradients(Program& program, const Graph& graph) {
  program.hasGradient.assign(at(graph.values()), false);
  program.denseOffsets.assign(graph.parameters().size(), -1);
  if (!program.trains()) return;
  const std::vector<const Node*>& nodes = program.nodes;
  const SpaceCapacity& capacity = program.capacity;
  program.hasGradient = trainedValues(graph, nodes);
  const std::vector<std::size_t> readers = firstReaders(program, graph);
  std::vector<bool> isReadWhole(graph.parameters().size(), false);
  for (const Node* node : nodes)
    for (const ParameterIndex parameter : node->parameters())
      if (graph.wholeReader(parameter) == node) isReadWhole[at(parameter)] = true;
  std::vector<ParameterIndex> dense;
  std::vector<std::vector<std::size_t>> lookupsOf(graph.parameters().size());
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (program.runs[i]) lookupsOf[at(graph.lookups()[i].table)].push_back(i);
  for (std::size_t index = 0; index < graph.parameters().size(); ++index) {
    const ParameterSpec& spec = graph.parameters()[index];
    if (!spec.trainable) continue;
    if (!spec.sparse) {
      if (readers[index] < nodes.size()) dense.push_back(static_cast<ParameterIndex>(index));
      continue;
    }
    TableGradient table{static_cast<ParameterIndex>(index), std::move(lookupsOf[index]), {}, -1};
    // Where memory spaces do not exchange its rows, its gradient is that of all rows.
    const bool isAddedWhole =
        capacity.spaces > 1 && !capacity.isSplit(table.table) && !table.lookups.empty();
    if (isReadWhole[index] || isAddedWhole) {
      table.wholeOffset = program.wholeElements;
      program.wholeElements += wholeCacheLines(spec.rows * spec.cols);
    }
    if (!table.lookups.empty() || isReadWhole[index]) program.tables.push_back(std::move(table));
  }
  std::ranges::stable_sort(dense, {}, [&](ParameterIndex of) { return readers[at(of)]; });
  for (const ParameterIndex of : dense) {
    program.denseOffsets[at(of)] = program.denseElements;
    program.denseElements += graph.parameters()[at(of)].rows * graph.parameters()[at(of)].cols;
  }
}

void readTablesInPlace(Program& program, const Graph& graph) {
  std::vector<const Node*>& nodes = program.nodes;
  std::vector<TableGradient>& tables = program.tables;
  program.inPlace.assign(graph.lookups().size(), false);
  const auto readers = [&](Value value) {
    return std::ranges::count_if(
        nodes, [&](const Node* node) { return std::ranges::count(node->inputs(), value) > 0; });
  };
  // The only lookup of a table, if nothing else reads its rows and each is one row of the table.
  const auto loneLookup = [&](Value value) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < graph.lookups().size(); ++i) {
      const Lookup& lookup = graph.lookups()[i];
      if (lookup.output != value || readers(value) != 1 ||
          std::ranges::count(program.targets, value) > 0)
        continue;
      const auto update = std::ranges::find(tables, lookup.table, &TableGradient::table);
      const bool alone = std::ranges::count(graph.lookups(), lookup.table, &Lookup::table) == 1 &&
                         !graph.readsWhole(lookup.table) &&
                         (update == tables.end() || update->wholeOffset < 0);
      if (alone && !program.capacity.isSplit(lookup.table) && !program.isBag(lookup)) return i;
    }
    return std::nullopt;
  };
  const auto updateOf = [&](std::size_t lookup) {
    return std::ranges::find(tables, graph.lookups()[lookup].table, &TableGradient::table);
  };
  for (const Node* node : nodes) {
    if (!node->readsGatheredRows()) continue;
    const Value x = node->inputs()[0], y = node->inputs()[1];
    const auto xLookup = loneLookup(x), yLookup = loneLookup(y);
    if (!xLookup || !yLookup) continue;
    program.inPlace[*xLookup] = program.inPlace[*yLookup] = true;
    program.hasGradient[at(x)] = program.hasGradient[at(y)] = false;
    program.hasValue[at(y)] = false;
    const auto xUpdate = updateOf(*xLookup), yUpdate = updateOf(*yLookup);
    program.hasValue[at(x)] =
        program.trains() && xUpdate != tables.end() && yUpdate != tables.end();
    if (xUpdate != tables.end()) xUpdate->factored = {node->output(), y};
    if (yUpdate != tables.end()) yUpdate->factored = {node->output(), x};
    if (program.hasValue[at(x)] && yUpdate < xUpdate) std::iter_swap(xUpdate, yUpdate);
  }
  std::erase_if(nodes, [&](const Node* node) {
    for (std::size_t i = 0; i < graph.lookups().size(); ++i)
      if (program.inPlace[i] && graph.lookups()[i].output == node->output()) return true;
    return false;
  });
}

// The scratch of nodes of the whole batch is there one after another in a single space; where spaces
// meet, what they have exchanged stays.
void placeScratch(Program& program, const Graph& graph) {
  const SpaceCapacity& capacity = program.capacity;
  for (const Node* node : program.nodes) {
    program.scratchOffsets.push_back(capacity.spaces == 1 ? 0 : program.batchScratch);
    const BatchNode* const ofBatch = node->asBatchNode();
    if (!ofBatch) continue;
    program.staged = std::max(
        program.staged,
        ofBatch->stagedElements(std::max(capacity.rows, capacity.batchRows), capacity.ranks));
    if (capacity.spaces == 1)
      program.batchScratch =
          std::max(program.batchScratch, ofBatch->scratchElements(capacity.rows));
    else
      program.batchScratch +=
          wholeCacheLines(ofBatch->meetingElements(capacity.rows, capacity.batchRows));
  }
  program.accumulated.resize(program.nodes.size());
  program.accumulatedParameters.resize(program.nodes.size());
  program.scratchCols.assign(graph.rowSpaces().size(), 0);
  if (program.trains()) placeAccumulation(program, graph);
}

void cutSlices(Program& program, const Graph& graph) {
  const SpaceCapacity& capacity = program.capacity;
  const std::int64_t rows = capacity.rows / capacity.ranks;
  // Nodes that meet the whole batch are not cut, so what they take for its pairs does not count.
  const ListCapacity& lists = capacity.lists;
  const double work = static_cast<double>(rows) * graph.flopsPerExample(1, lists.rows);
  const std::int64_t ranks = capacity.ranks * capacity.spaces;
  const std::int64_t sliceRows =
      std::max<std::int64_t>(1, kSliceRows * lists.rows / graph.longestSequence());
  const std::int64_t byGradients =
      program.denseElements > 0 ? kMaxDenseElements / program.denseElements / ranks : kMaxSlices;
  const std::int64_t wanted =
      std::min({kMaxSlices / ranks, rows / sliceRows, static_cast<std::int64_t>(work / kSliceFlops),
                byGradients, lists.count > 0 ? lists.count / ranks : kMaxSlices});
  program.slicesPerRank = static_cast<int>(std::max<std::int64_t>(1, wanted));
}

// Tables of a stack may have different optimizers: each updates its own rows of what comes back.
void stackTables(Program& program, const Graph& graph, std::span<const mesh::Sharding> shardings,
                 bool together) {
  const std::vector<Lookup>& lookups = graph.lookups();
  std::vector<StackTables>& stacks = program.stacks;
  program.members.resize(lookups.size());
  for (ParameterIndex index = 0; index < static_cast<ParameterIndex>(shardings.size()); ++index) {
    bool isRead = false;
    for (std::size_t i = 0; i < lookups.size(); ++i)
      isRead = isRead || (lookups[i].table == index && program.runs[i]);
    if (!program.capacity.isSplit(index) || !isRead) continue;
    const auto same = std::ranges::find_if(stacks, [&](const StackTables& others) {
      return together && shardings[at(others.tables[0])].hasSameSharding(shardings[at(index)]);
    });
    if (same == stacks.end())
      stacks.push_back({{index}, {}});
    else
      same->tables.push_back(index);
  }
  for (std::size_t stack = 0; stack < stacks.size(); ++stack)
    for (std::size_t i = 0; i < lookups.size(); ++i)
      if (program.runs[i] && std::ranges::count(stacks[stack].tables, lookups[i].table) > 0) {
        program.members[i] = {static_cast<int>(stack),
                              static_cast<int>(stacks[stack].lookups.size())};
        stacks[stack].lookups.push_back(i);
      }
}

}  // namespace parapet::nn

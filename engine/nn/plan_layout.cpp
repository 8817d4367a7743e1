// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_layout.h"

#include <algorithm>

#include "engine/nn/plan_parts.h"

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
// Gradients that are added up between spaces while others are computed: as many that a collective
// takes long beside its latency.
constexpr std::int64_t kBucketElements = 1 << 20;
// Multiplications and additions of a batch below which one thread is faster alone.
constexpr double kMinParallelFlops = 1e6;

}  // namespace

bool runsInParallel(const Graph& graph, PlanPurpose purpose, std::int64_t batchRows) {
  const double perExample = purpose == PlanPurpose::kTrain
                                ? graph.trainingFlopsPerExample(batchRows)
                                : graph.flopsPerExample(batchRows);
  return static_cast<double>(batchRows) * perExample >= kMinParallelFlops;
}

PlanLayout::PlanLayout(const Graph& graph, const std::vector<Value>& targets, PlanPurpose purpose,
                       PlanCapacity counts)
    : capacity(std::move(counts)),
      nodes(neededNodes(graph, targets)),
      hasValue(at(graph.values()), false),
      hasGradient(at(graph.values()), false),
      inPlace(graph.lookups().size(), false),
      runs(graph.lookups().size(), false),
      hasRows(graph.rowSpaces().size(), false),
      scratchCols(graph.rowSpaces().size(), 0),
      denseOffsets(graph.parameters().size(), -1) {
  const bool trains = purpose == PlanPurpose::kTrain;
  for (const Node* node : nodes) {
    hasValue[at(node->output())] = true;
    hasRows[at(graph.rowSpace(node->output()))] = true;
    for (const Value saved : node->saved()) hasValue[at(saved)] = true;
  }
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    runs[i] = hasValue[at(graph.lookups()[i].output)];
  if (trains) planGradients(graph);
  readInPlace(graph, targets, purpose);
  accumulated.resize(nodes.size());
  accumulatedParameters.resize(nodes.size());
  for (const Node* node : nodes) cutScratch(*node);
  if (trains) planAccumulation(graph);
  sharing = BufferSharing(graph, *this, targets, purpose);
  cutSegments();
  if (trains && capacity.spaces > 1) cutBuckets(graph);
  cutSlices(graph);
  if (trains && !capacity.hostReads) findReadValues(graph, targets);
}

// The order in which nodes run backward is that in which gradients meet.
void PlanLayout::planAccumulation(const Graph& graph) {
  std::vector<bool> begun(at(graph.values()), false);
  std::vector<bool> begunParameters(graph.parameters().size(), false);
  for (std::size_t node = nodes.size(); node-- > 0;) {
    std::vector<std::int64_t> added(graph.rowSpaces().size(), 0);
    for (const Value input : nodes[node]->inputs()) {
      if (!hasGradient[at(input)]) continue;
      if (begun[at(input)]) {
        accumulated[node].push_back(input);
        added[at(graph.rowSpace(input))] += graph.cols(input);
      }
      begun[at(input)] = true;
    }
    for (std::size_t rows = 0; rows < added.size(); ++rows)
      if (!nodes[node]->accumulatesGradients())
        scratchCols[rows] = std::max(scratchCols[rows], added[rows]);
    std::int64_t elements = 0;
    for (const ParameterIndex index : nodes[node]->parameters()) {
      if (denseOffsets[at(index)] < 0 || !runsBackward(node)) continue;
      if (begunParameters[at(index)]) {
        accumulatedParameters[node].push_back(index);
        elements += graph.parameters()[at(index)].rows * graph.parameters()[at(index)].cols;
      }
      begunParameters[at(index)] = true;
    }
    parameterScratch = std::max(parameterScratch, elements);
  }
}

// One after another in a single space; where spaces meet, what they have exchanged stays.
void PlanLayout::cutScratch(const Node& node) {
  scratchOffsets.push_back(capacity.spaces == 1 ? 0 : batchScratch);
  const BatchNode* const ofBatch = node.asBatchNode();
  if (!ofBatch) return;
  staged = std::max(
      staged, ofBatch->stagedElements(std::max(capacity.rows, capacity.batchRows), capacity.ranks));
  if (capacity.spaces == 1)
    batchScratch = std::max(batchScratch, ofBatch->scratchElements(capacity.rows));
  else
    batchScratch += wholeCacheLines(ofBatch->meetingElements(capacity.rows, capacity.batchRows));
}

void PlanLayout::planGradients(const Graph& graph) {
  hasGradient = trainedValues(graph, nodes);
  const std::vector<std::size_t> readers = firstReaders(graph);
  std::vector<bool> isReadWhole(graph.parameters().size(), false);
  for (const Node* node : nodes)
    for (const ParameterIndex parameter : node->parameters())
      if (graph.wholeReader(parameter) == node) isReadWhole[at(parameter)] = true;
  std::vector<ParameterIndex> dense;
  std::vector<std::vector<std::size_t>> lookupsOf(graph.parameters().size());
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (runs[i]) lookupsOf[at(graph.lookups()[i].table)].push_back(i);
  for (std::size_t index = 0; index < graph.parameters().size(); ++index) {
    const ParameterSpec& spec = graph.parameters()[index];
    if (!spec.trainable) continue;
    if (!spec.sparse) {
      if (readers[index] < nodes.size()) dense.push_back(static_cast<ParameterIndex>(index));
      continue;
    }
    TableLayout table{static_cast<ParameterIndex>(index), std::move(lookupsOf[index]), {}, -1};
    // Where memory spaces do not exchange its rows, its gradient is that of all rows.
    const bool isAddedWhole =
        capacity.spaces > 1 && !capacity.isSplit(table.table) && !table.lookups.empty();
    if (isReadWhole[index] || isAddedWhole) {
      table.wholeOffset = wholeElements;
      wholeElements += wholeCacheLines(spec.rows * spec.cols);
    }
    if (!table.lookups.empty() || isReadWhole[index]) tables.push_back(std::move(table));
  }
  std::ranges::stable_sort(dense, {}, [&](ParameterIndex of) { return readers[at(of)]; });
  for (const ParameterIndex of : dense) {
    denseOffsets[at(of)] = denseElements;
    denseElements += graph.parameters()[at(of)].rows * graph.parameters()[at(of)].cols;
  }
}

// The first node that reads each parameter, among those that run; nodes.size(): none.
std::vector<std::size_t> PlanLayout::firstReaders(const Graph& graph) const {
  std::vector<std::size_t> readers(graph.parameters().size(), nodes.size());
  for (std::size_t node = nodes.size(); node-- > 0;)
    for (const ParameterIndex of : nodes[node]->parameters()) readers[at(of)] = node;
  return readers;
}

// The gradient of a parameter is complete behind the first node that reads it, and parameters lie
// in the order of those: buckets are cut from the end.
void PlanLayout::cutBuckets(const Graph& graph) {
  const std::vector<std::size_t> readers = firstReaders(graph);
  std::vector<std::int64_t> begins(nodes.size(), denseElements);  // of the parameters of a node
  for (std::size_t of = 0; of < denseOffsets.size(); ++of)
    if (denseOffsets[of] >= 0)
      begins[readers[of]] = std::min(begins[readers[of]], denseOffsets[of]);
  std::int64_t end = denseElements;
  for (std::size_t node = nodes.size(); node-- > 0;) {
    const bool isFull = begins[node] <= end - kBucketElements;
    if (!isFull || nodes[node]->asBatchNode()) continue;
    buckets.push_back({node, begins[node]});
    end = begins[node];
  }
}

void PlanLayout::readInPlace(const Graph& graph, const std::vector<Value>& targets,
                             PlanPurpose purpose) {
  const auto readers = [&](Value value) {
    return std::ranges::count_if(
        nodes, [&](const Node* node) { return std::ranges::count(node->inputs(), value) > 0; });
  };
  // The only lookup of a table, if nothing else reads its rows and each is one row of the table.
  const auto loneLookup = [&](Value value) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < graph.lookups().size(); ++i) {
      const Lookup& lookup = graph.lookups()[i];
      if (lookup.output != value || readers(value) != 1 || std::ranges::count(targets, value) > 0)
        continue;
      const auto update = std::ranges::find(tables, lookup.table, &TableLayout::table);
      const bool alone = std::ranges::count(graph.lookups(), lookup.table, &Lookup::table) == 1 &&
                         !graph.readsWhole(lookup.table) &&
                         (update == tables.end() || update->wholeOffset < 0);
      if (alone && !capacity.isSplit(lookup.table) && !isBag(lookup)) return i;
    }
    return std::nullopt;
  };
  const auto updateOf = [&](std::size_t lookup) {
    return std::ranges::find(tables, graph.lookups()[lookup].table, &TableLayout::table);
  };
  for (const Node* node : nodes) {
    if (!node->readsGatheredRows()) continue;
    const Value x = node->inputs()[0], y = node->inputs()[1];
    const auto xLookup = loneLookup(x), yLookup = loneLookup(y);
    if (!xLookup || !yLookup) continue;
    inPlace[*xLookup] = inPlace[*yLookup] = true;
    hasGradient[at(x)] = hasGradient[at(y)] = false;
    hasValue[at(y)] = false;
    const auto xUpdate = updateOf(*xLookup), yUpdate = updateOf(*yLookup);
    hasValue[at(x)] =
        purpose == PlanPurpose::kTrain && xUpdate != tables.end() && yUpdate != tables.end();
    if (xUpdate != tables.end()) xUpdate->factored = {node->output(), y};
    if (yUpdate != tables.end()) yUpdate->factored = {node->output(), x};
    if (hasValue[at(x)] && yUpdate < xUpdate) std::iter_swap(xUpdate, yUpdate);
  }
  std::erase_if(nodes, [&](const Node* node) {
    for (std::size_t i = 0; i < graph.lookups().size(); ++i)
      if (inPlace[i] && graph.lookups()[i].output == node->output()) return true;
    return false;
  });
}

void PlanLayout::cutSegments() {
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const bool ofBatch = nodes[node]->asBatchNode() != nullptr;
    if (segments.empty() || segments.back().ofBatch != ofBatch)
      segments.push_back({ofBatch, node, node});
    segments.back().end = node + 1;
  }
}

void PlanLayout::cutSlices(const Graph& graph) {
  const std::int64_t rows = capacity.rows / capacity.ranks;
  // Nodes that meet the whole batch are not cut, so what they take for its pairs does not count.
  const double work = static_cast<double>(rows) * graph.flopsPerExample(1);
  const std::int64_t ranks = capacity.ranks * capacity.spaces;
  const std::int64_t sliceRows = std::max<std::int64_t>(1, kSliceRows / graph.longestSequence());
  const std::int64_t byGradients =
      denseElements > 0 ? kMaxDenseElements / denseElements / ranks : kMaxSlices;
  const std::int64_t wanted =
      std::min({kMaxSlices / ranks, rows / sliceRows, static_cast<std::int64_t>(work / kSliceFlops),
                byGradients});
  slicesPerRank = static_cast<int>(std::max<std::int64_t>(1, wanted));
}

bool PlanLayout::isBag(const Lookup& lookup) const {
  return lookup.sequence || capacity.idsOf(lookup.feature) != 1;
}

std::int64_t PlanLayout::maxRows(const Graph& graph, RowSpace rows) const {
  if (rows == kExamples) return capacity.rows;
  const RowSpaceSpec& spec = graph.rowSpaces()[at(rows)];
  const std::int64_t ids = std::max<std::int64_t>(1, capacity.idsOf(spec.feature));
  return capacity.rows * std::min(ids, spec.maxPerExample);
}

std::int64_t PlanLayout::bufferElements(const Graph& graph) const {
  std::int64_t elements = batchScratch;
  for (std::size_t rows = 0; rows < scratchCols.size(); ++rows)
    elements += maxRows(graph, static_cast<RowSpace>(rows)) * scratchCols[rows];
  for (const BufferSharing::Buffer& buffer : sharing.buffers)
    elements += maxRows(graph, buffer.rows) * buffer.cols;
  for (const TableLayout& table : tables) {
    if (table.factored) continue;
    for (const std::size_t lookup : table.lookups)
      elements += maxRows(graph, graph.rowSpace(graph.lookups()[lookup].output)) *
                  graph.parameters()[at(table.table)].cols;
  }
  return elements;
}

std::int64_t PlanLayout::maxIds(const Lookup& lookup) const {
  return capacity.rows * capacity.idsOf(lookup);
}

std::int64_t lookupRowsElements(const PlanLayout& layout, const Lookup& lookup,
                                PlanPurpose purpose) {
  if (!layout.isBag(lookup)) return 0;
  const std::int64_t ids = layout.maxIds(lookup);
  const bool truncates =
      lookup.maxLength > 0 && lookup.maxLength < layout.capacity.idsOf(lookup.feature);
  // What is left of truncated sequences, and their offsets.
  if (lookup.sequence) return (truncates ? ids : 0) + layout.capacity.rows + 1;
  // Factors and examples of the ids, and what is left of truncated bags: ids, weights, offsets.
  return ids + (purpose == PlanPurpose::kTrain ? ids : 0) +
         (truncates ? 2 * ids + layout.capacity.rows + 1 : 0);
}

std::int64_t tableUpdateElements(const PlanLayout& layout, const Graph& graph,
                                 const TableLayout& table) {
  std::int64_t ids = 0;
  for (const std::size_t lookup : table.lookups) ids += layout.maxIds(graph.lookups()[lookup]);
  const ParameterSpec& spec = graph.parameters()[at(table.table)];
  // Gradients that are written out to be clipped.
  const std::int64_t merged = experiment::clipsGradients(spec.optimizer) && table.wholeOffset < 0
                                  ? std::min(ids, spec.rows) * spec.cols
                                  : 0;
  if (layout.capacity.isSplit(table.table)) return merged;
  // Groups; of several lookups the ids, rows and factors one after the other.
  return (table.lookups.size() > 1 ? 7 : 4) * ids + merged;
}

std::int64_t PlanLayout::lossScalars(const Graph& graph) const {
  return (slices() + 1) * static_cast<std::int64_t>(graph.losses().size() * kSumsOfLoss);
}

void PlanLayout::findReadValues(const Graph& graph, const std::vector<Value>& targets) {
  std::int64_t begin = lossScalars(graph);
  for (const Value target : targets) {
    const std::int64_t elements = outputElements(graph, target, capacity.rows);
    if (elements == 0) continue;
    readValues.push_back({target, begin});
    begin += scalarsOf(elements);
  }
}

std::int64_t PlanLayout::stepScalars(const Graph& graph) const {
  std::int64_t end = lossScalars(graph);
  for (const ReadValue& read : readValues)
    end += scalarsOf(outputElements(graph, read.value, capacity.rows));
  return end + 1;
}

std::int64_t PlanLayout::normSquares(const Graph& graph) {
  const bool any = std::ranges::any_of(graph.parameters(), [](const ParameterSpec& spec) {
    return spec.optimizer.clipNorm || spec.optimizer.globalClipNorm;
  });
  return any ? static_cast<std::int64_t>(2 * graph.parameters().size() + 1) : 0;
}

std::uint64_t PlanLayout::bytes(const Graph& graph) const {
  std::int64_t elements = bufferElements(graph);
  for (const TableLayout& table : tables) elements += tableUpdateElements(*this, graph, table);
  elements += staged + gradientElements() + sumElements();
  elements += (stepScalars(graph) + normSquares(graph)) *
              static_cast<std::int64_t>(sizeof(double) / sizeof(float));
  return static_cast<std::uint64_t>(elements) * sizeof(float) + preparedBytes(graph);
}

std::uint64_t PlanLayout::preparedBytes(const Graph& graph) const {
  const bool trains = std::ranges::any_of(hasGradient, std::identity{}) || !tables.empty();
  const PlanPurpose purpose = trains ? PlanPurpose::kTrain : PlanPurpose::kForward;
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < graph.lookups().size(); ++i)
    if (runs[i]) elements += lookupRowsElements(*this, graph.lookups()[i], purpose);
  return static_cast<std::uint64_t>(elements) * sizeof(float);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/nn/buffer_sharing.h"
#include "engine/nn/graph.h"

namespace parapet::nn {

enum class PlanPurpose {
  kTrain,    ///< forward, backward, reduce, update
  kForward,  ///< forward to the targets only
};

/// Below so many elements that are copied or added a second worker costs more to wake than it
/// saves.
inline constexpr std::int64_t kMinParallelElements = 96 * 1024;

/// Whether a batch has so much to compute that a second worker saves more than it costs to wake.
bool runsInParallel(const Graph& graph, PlanPurpose purpose, std::int64_t batchRows);

/// The counts that one memory space of a plan is made for.
struct PlanCapacity {
  std::int64_t rows = 1;                  ///< of a batch that the space works on
  int ranks = 1;                          ///< of the space
  std::vector<std::int64_t> idsPerRow{};  ///< max. ids of an example by feature; missing: 1
  /// Whether a parameter is a table whose gradients are exchanged with the owners of its shards or
  /// copies, by parameter; missing: false.
  std::vector<bool> split{};
  int spaces = 1;              ///< of the plan
  std::int64_t batchRows = 0;  ///< of a global batch; 0: the space's
  bool hostReads = true;       ///< whether the host can read the memory of the space
  int batchesPerStep = 1;      ///< whose gradients make one update

  [[nodiscard]] std::int64_t idsOf(std::int32_t feature) const {
    const auto at = static_cast<std::size_t>(feature);
    return at < idsPerRow.size() ? idsPerRow[at] : 1;
  }
  /// Max. ids of one example, as a lookup reads them.
  [[nodiscard]] std::int64_t idsOf(const Lookup& lookup) const {
    const std::int64_t ids = std::max<std::int64_t>(1, idsOf(lookup.feature));
    return lookup.maxLength > 0 ? std::min(ids, lookup.maxLength) : ids;
  }
  [[nodiscard]] bool isSplit(ParameterIndex table) const {
    const auto at = static_cast<std::size_t>(table);
    return at < split.size() && split[at];
  }
};

/// Which ways the nodes of a segment are run.
enum class Passes { kForward, kBackward, kBoth };

/// Nodes [begin, end) of a plan that run without a meeting of the ranks.
struct Segment {
  bool ofBatch;  ///< nodes that work on the whole batch
  std::size_t begin, end;
};

/// The part of a segment that runs between two exchanges: forward, then backward.
struct Piece {
  std::optional<Segment> forward, backward;
};

/// A gradient that is never written out: row b is gradient(scale)[b] times row b of `rows`. Either
/// side of a row-wise dot product has one.
struct FactoredGradient {
  Value scale;
  Value rows;
};

/// A table that a step updates, and the lookups that its gradient comes from: indices into
/// graph.lookups().
struct TableLayout {
  ParameterIndex table;
  std::vector<std::size_t> lookups;
  std::optional<FactoredGradient> factored;  ///< only with a single lookup of a table in one piece
  /// Offset of the [V, D] gradient of a table that a node reads as a whole, or whose gradient
  /// memory spaces add up as a whole, among the gradients of whole tables. The gradients of its
  /// lookups are added to it. −1: it has none.
  std::int64_t wholeOffset = -1;
};

/// Gradients of dense parameters that are complete as soon as the backward pass of all slices is
/// past a node, so that memory spaces can add them up while others are computed. A bucket holds the
/// elements from `begin` to where the bucket before it begins. Elements in no bucket are added up
/// last.
struct GradientBucket {
  std::size_t node;    ///< among PlanLayout::nodes
  std::int64_t begin;  ///< among the gradients of dense parameters
};

/// A value of a training plan that the host reads after every step, out of memory that it cannot
/// read: it is copied behind the scalars of the step, and comes with them.
struct ReadValue {
  Value value;
  std::int64_t begin;  ///< among PlanLayout::stepScalars
};

/// What a plan makes of a graph before it has memory.
///
/// A lookup that only a row-wise dot product reads is not run: the product reads the table in
/// place. In training the gradient of one side is made of the rows of the other, and both tables
/// change in the same step; so the x side is updated first, from y's table, and y from the copy of
/// x's rows that the product left behind.
///
/// A rank works through its rows in slices of their own, as many as its capacity decides: so
/// several workers share a rank without a bit depending on their number, and what a slice computes
/// stays in the cache between one node and the next.
struct PlanLayout {
  PlanCapacity capacity;
  std::vector<const Node*> nodes;           ///< nodes that run, in execution order
  std::vector<Segment> segments;            ///< of all nodes, in order
  std::vector<bool> hasValue, hasGradient;  ///< by value: whether it has a buffer
  BufferSharing sharing;                    ///< the buffer of each value and gradient
  std::vector<bool> inPlace;                ///< by lookup: read from the table itself
  std::vector<bool> runs;                   ///< by lookup: something needs it
  std::vector<bool> hasRows;                ///< by row space: whether a value lies over it
  std::vector<TableLayout> tables;          ///< trained tables, in the order of their updates
  std::vector<std::vector<Value>>
      accumulated;  ///< by node: inputs whose gradient an earlier node has written
  /// Columns of the gradients that a node would write over others, by row space.
  std::vector<std::int64_t> scratchCols;
  /// Dense parameters whose gradient an earlier node of the backward pass has written, by node.
  std::vector<std::vector<ParameterIndex>> accumulatedParameters;
  std::int64_t parameterScratch = 0;  ///< gradient elements that a node would write over others
  std::int64_t batchScratch = 0;      ///< elements for the nodes that work on the whole batch
  std::vector<std::int64_t> scratchOffsets;  ///< by node, within batchScratch
  std::int64_t staged = 0;  ///< elements that nodes of the whole batch write on the host for ops
  std::vector<std::int64_t> denseOffsets;  ///< by parameter: offset of its gradient; −1: none
  std::int64_t denseElements = 0;          ///< of the gradients of all dense parameters
  std::vector<GradientBucket> buckets;     ///< in backward order; for several spaces
  std::int64_t wholeElements = 0;          ///< gradients of whole tables, once for all slices
  std::vector<ReadValue> readValues;       ///< see there
  int slicesPerRank = 1;

  PlanLayout(const Graph& graph, const std::vector<Value>& targets, PlanPurpose purpose,
             PlanCapacity capacity);

  [[nodiscard]] int slices() const { return capacity.ranks * slicesPerRank; }
  /// Whether a node takes part in the backward pass; a loss does even where nothing that it depends
  /// on is trained.
  [[nodiscard]] bool runsBackward(std::size_t node) const {
    return hasGradient[at(nodes[node]->output())] || nodes[node]->loss().has_value();
  }
  /// Whether a lookup may have several ids per example, or weights.
  [[nodiscard]] bool isBag(const Lookup& lookup) const;
  /// Rows of a row space in a batch.
  [[nodiscard]] std::int64_t maxRows(const Graph& graph, RowSpace rows) const;
  /// Elements of all gradients of parameters: whole tables, then for each slice its dense
  /// parameters and its scratch.
  [[nodiscard]] std::int64_t gradientElements() const {
    return wholeElements + slices() * (denseElements + parameterScratch);
  }
  /// Elements of the sums of gradients over the parts of a step, after slices are added up.
  [[nodiscard]] std::int64_t sumElements() const {
    return capacity.batchesPerStep > 1 ? wholeElements + denseElements : 0;
  }
  /// Elements of the buffers of values and gradients, a shared buffer counted once, and of the
  /// scratch of nodes.
  [[nodiscard]] std::int64_t bufferElements(const Graph& graph) const;
  /// Max. ids of a lookup in a batch.
  [[nodiscard]] std::int64_t maxIds(const Lookup& lookup) const;
  /// f64 that a step leaves behind: the sums of the losses by slice, then of the whole, what
  /// readValues take, and a flag.
  [[nodiscard]] std::int64_t stepScalars(const Graph& graph) const;
  /// f64 for the squares that gradients are clipped by: by parameter, then by optimizer; 0: none
  /// is.
  [[nodiscard]] static std::int64_t normSquares(const Graph& graph);
  /// Bytes of all buffers of a plan, without those of exchanges.
  [[nodiscard]] std::uint64_t bytes(const Graph& graph) const;
  /// Bytes of the prepared ids, which a plan that sorts the ids of the next batch has twice.
  [[nodiscard]] std::uint64_t preparedBytes(const Graph& graph) const;

 private:
  [[nodiscard]] std::int64_t lossScalars(const Graph& graph) const;
  void findReadValues(const Graph& graph, const std::vector<Value>& targets);
  void planGradients(const Graph& graph);
  void planAccumulation(const Graph& graph);
  [[nodiscard]] std::vector<std::size_t> firstReaders(const Graph& graph) const;
  void cutBuckets(const Graph& graph);
  void readInPlace(const Graph& graph, const std::vector<Value>& targets, PlanPurpose purpose);
  void cutScratch(const Node& node);
  void cutSegments();
  void cutSlices(const Graph& graph);
};

/// Elements of 4 bytes that the parts of a plan allocate; each part allocates what it says here.
std::int64_t lookupRowsElements(const PlanLayout& layout, const Lookup& lookup,
                                PlanPurpose purpose);
std::int64_t tableUpdateElements(const PlanLayout& layout, const Graph& graph,
                                 const TableLayout& table);

}  // namespace parapet::nn

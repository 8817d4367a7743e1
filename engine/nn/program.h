// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/nn/graph.h"

namespace parapet::nn {

enum class StepPurpose {
  kTrain,    ///< forward, backward, reduce, update
  kForward,  ///< forward to the targets only
};

/// Lists of rows that are not cut, each for a sequence that its rows share.
struct ListCapacity {
  std::int64_t count = 0;  ///< of a global batch, at most; 0: slices are cut between any rows
  std::int64_t rows = 1;   ///< of a list, at most

  bool operator==(const ListCapacity&) const = default;
};

/// What a step computes, for how many rows.
struct StepTask {
  std::vector<Value> targets{};   ///< must be computed; of kTrain the losses
  std::int64_t capacityRows = 1;  ///< of a global batch
  StepPurpose purpose = StepPurpose::kForward;
  /// Max. ids of an example by feature, of a shared sequence the mean over its rows; missing: 1.
  std::vector<std::int64_t> idsPerRow{};
  int batchesPerStep = 1;  ///< of kTrain: whose gradients make one update
  ListCapacity lists{};    ///< rows of a batch beyond these lists are extra negatives
  // How rows of sharded tables are exchanged; it changes no bit:
  bool stackTables = true;  ///< tables with the same sharding share an exchange
  bool overlap = true;      ///< ids of the next batch are sorted while a step computes
};

/// Below so many elements that are copied or added a second worker costs more to wake than it
/// saves.
inline constexpr std::int64_t kMinParallelElements = 96 * 1024;

/// Whether a batch has so much to compute that a second worker saves more than it costs to wake.
bool runsInParallel(const Graph& graph, StepPurpose purpose, std::int64_t batchRows);

/// The counts that the program of one memory space is made for.
struct SpaceCapacity {
  std::int64_t rows = 1;                  ///< of a batch that the space works on
  int ranks = 1;                          ///< of the space
  std::vector<std::int64_t> idsPerRow{};  ///< max. ids of an example by feature; missing: 1
  /// Whether a parameter is a table whose gradients are exchanged with the owners of its shards or
  /// copies, by parameter; missing: false.
  std::vector<bool> split{};
  int spaces = 1;              ///< of the mesh
  std::int64_t batchRows = 0;  ///< of a global batch; 0: the space's
  bool hostReads = true;       ///< whether the host can read the memory of the space
  int batchesPerStep = 1;      ///< whose gradients make one update
  ListCapacity lists{};        ///< of a global batch

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

/// Whether the gradient of a table that every memory space has whole is added up as a whole instead
/// of by its rows: where that is less to send, for at most `ids` ids in a space, and the optimizer
/// does the same with it.
///
///   by rows      (S − 1)·min(ids, V)·(D + 1) elements that a space sends
///   as a whole   2·(S − 1)/S·V·D
bool addsWholeGradient(const ParameterSpec& spec, std::int64_t ids, std::size_t spaces);

/// Whether each parameter is a table whose rows, or their gradients, a step brings from one memory
/// space to another (SpaceCapacity::split). `replicated`: by parameter.
std::vector<bool> exchangedTables(const Graph& graph, const mesh::DeviceMesh& mesh,
                                  const StepTask& task, const std::vector<bool>& replicated);

/// Rows of a batch that the space with the most ranks works on, at most.
std::int64_t largestSpaceRows(const mesh::DeviceMesh& mesh, std::int64_t batchRows,
                              const ListCapacity& lists);

/// What a task asks of one memory space. `split`: see SpaceCapacity.
SpaceCapacity spaceCapacity(const mesh::DeviceMesh& mesh, int space, const StepTask& task,
                            std::vector<bool> split);

/// Elements of the rows of a target that are gathered for the host: of several spaces, or of one
/// that it cannot read. A loss leaves nothing in its value.
std::int64_t outputElements(const Graph& graph, Value target, std::int64_t capacityRows);

// ---- Instructions

/// Nodes of a program: [begin, end).
struct NodeRange {
  std::size_t begin, end;
};

/// Takes the rows of a space out of the batch, and their ids as lookups use them.
struct PrepareIds {};
/// Merges the ids of a stack of tables, sorted by the shards that have their rows.
struct RouteIds {
  std::size_t stack;
};
/// The place of Program::prepare for the next batch, if that is known.
struct PrepareNext {};
/// Groups the ids of a table by row for its update.
struct GroupIds {
  std::size_t table;  ///< among Space::tables
};
/// Forward: the owners of a stack copy the rows that were asked for. Backward: a space merges its
/// gradients by row.
struct MoveRows {
  std::size_t stack;
  Pass pass;
};
/// Nodes on slices of the batch: forward, then backward.
struct RunNodes {
  std::optional<NodeRange> forward, backward;
};
/// A round of a node that works on the whole batch; of 0 rounds: the pass at once, in a lone space.
struct RunBatchNode {
  std::size_t node;
  Pass pass;
  int round = 0, rounds = 0;
};
/// Adds up gradients of dense parameters, elements [begin, end), over slices.
struct AddSlices {
  std::int64_t begin, end;
  bool isLast;  ///< and the gradients of lookups to those of whole tables
};
/// What memory spaces exchange. A step ends what it begins, by tag; what stands between the two may
/// run meanwhile.
struct BeginExchange {
  enum class Kind {
    kBarrier,       ///< all ranks have come so far
    kIds,           ///< of a stack, to the owners of their rows
    kRows,          ///< of a stack, from them
    kRowGradients,  ///< of a stack, to them
    kMeeting,       ///< what a node has asked for; see Meeting
    kGradients,  ///< sums of `count` gradients of dense parameters and whole tables from `begin` on
    kSquares,    ///< sums of squares that gradients are clipped by
    kMeanSquares,  ///< of table `of` among those whose columns share them
    kLosses,       ///< sums that the spaces have read back
  };
  Kind kind;
  std::size_t of = 0;  ///< stack, node or table
  std::int64_t begin = 0, count = 0;
  int tag = 0;
};
struct EndExchange {
  int tag;
};
/// What is done with the gradients of a space.
struct Update {
  enum class Part {
    kCollect,             ///< finds what is to be updated
    kAddBatch,            ///< to the sums of a step of several batches
    kMeasureSquares,      ///< for kSquares, and clips values
    kClip,                ///< by the norms
    kMeasureMeanSquares,  ///< for kMeanSquares
    kApply,
  };
  Part part;
};
/// The only copy to the host of a step.
struct ReadBack {};

using Instruction =
    std::variant<PrepareIds, RouteIds, PrepareNext, GroupIds, MoveRows, RunNodes, RunBatchNode,
                 AddSlices, BeginExchange, EndExchange, Update, ReadBack>;

struct Line {
  Instruction what;
  bool isBeside = false;  ///< runs along with the next nodes on slices
};
using Lines = std::vector<Line>;

// ---- Programs

/// A gradient that is never written out: row b is gradient(scale)[b] times row b of `rows`. Either
/// side of a row-wise dot product has one.
struct FactoredGradient {
  Value scale;
  Value rows;
};

/// A table that a step updates, and the lookups that its gradient comes from: indices into
/// graph.lookups().
struct TableGradient {
  ParameterIndex table;
  std::vector<std::size_t> lookups;
  std::optional<FactoredGradient> factored;  ///< only with a single lookup of a table in one piece
  /// Offset of the [V, D] gradient of a table that a node reads as a whole, or whose gradient
  /// memory spaces add up as a whole, among the gradients of whole tables. The gradients of its
  /// lookups are added to it. −1: it has none.
  std::int64_t wholeOffset = -1;
};

/// Which values and gradients lie in the same memory, because no step needs them at once.
///
/// A step runs the nodes forward, then backward in the opposite order. A value is needed from the
/// node that writes it to the last node that reads it, in the backward pass if some node reads it
/// there (Node::backwardReads); a gradient from the first node of the backward pass that writes it
/// to the node that reads it. Two of them may share a buffer if these spans do not overlap and both
/// have the same rows and columns: slices run at their own pace, and each has the same rows of
/// either.
///
/// Not shared are targets, which are read after the step; what an update of tables reads; and
/// gradients that nothing writes, which stay 0.
struct BufferSharing {
  struct Buffer {
    RowSpace rows;
    std::int64_t cols;
  };
  std::vector<Buffer> buffers{};
  /// The buffer of each value, and of its gradient; −1: it has none here.
  std::vector<std::int32_t> ofValue{}, ofGradient{};
};

/// A value of a training program that the host reads after every step, out of memory that it cannot
/// read: it is copied behind the scalars of the step, and comes with them.
struct ReadValue {
  Value value;
  std::int64_t begin;  ///< among Program::stepScalars
};

/// Tables that are exchanged together, and their lookups: indices into graph.lookups().
struct StackTables {
  std::vector<ParameterIndex> tables;
  std::vector<std::size_t> lookups;
};

/// What a lookup reads: a lookup of a stack of sharded tables, or with stack −1 of a table that is
/// not sharded.
struct StackMember {
  int stack = -1;
  int position = 0;  ///< among the lookups of the stack
};

/// What one memory space does in a step, before it has memory: lists of instructions, and where
/// their values and gradients lie. The lists of all spaces of a mesh are the same; counts come with
/// each step. text() prints them.
///
/// A lookup that only a row-wise dot product reads is not run: the product reads the table in
/// place. In training the gradient of one side is made of the rows of the other, and both tables
/// change in the same step; so the x side is updated first, from y's table, and y from the copy of
/// x's rows that the product left behind.
///
/// A rank works through its rows in slices of their own, as many as its capacity decides: so
/// several workers share a rank without a bit depending on their number, and what a slice computes
/// stays in the cache between one node and the next.
struct Program {
  SpaceCapacity capacity;
  StepPurpose purpose;
  std::vector<Value> targets;
  std::vector<const Node*> nodes{};             ///< nodes that run, in execution order
  std::vector<bool> hasValue{}, hasGradient{};  ///< by value: whether it has a buffer
  BufferSharing sharing{};                      ///< the buffer of each value and gradient
  std::vector<bool> inPlace{};                  ///< by lookup: read from the table itself
  std::vector<bool> runs{};                     ///< by lookup: something needs it
  std::vector<bool> hasRows{};                  ///< by row space: whether a value lies over it
  std::vector<TableGradient> tables{};          ///< trained tables, in the order of their updates
  std::vector<std::vector<Value>>
      accumulated{};  ///< by node: inputs whose gradient an earlier node has written
  /// Columns of the gradients that a node would write over others, by row space.
  std::vector<std::int64_t> scratchCols{};
  /// Dense parameters whose gradient an earlier node of the backward pass has written, by node.
  std::vector<std::vector<ParameterIndex>> accumulatedParameters{};
  std::int64_t parameterScratch = 0;  ///< gradient elements that a node would write over others
  std::int64_t batchScratch = 0;      ///< elements for the nodes that work on the whole batch
  std::vector<std::int64_t> scratchOffsets{};  ///< by node, within batchScratch
  std::int64_t staged = 0;  ///< elements that nodes of the whole batch write on the host for ops
  std::vector<std::int64_t> denseOffsets{};  ///< by parameter: offset of its gradient; −1: none
  std::int64_t denseElements = 0;            ///< of the gradients of all dense parameters
  std::int64_t wholeElements = 0;            ///< gradients of whole tables, once for all slices
  std::int64_t lossScalars = 0;              ///< sums of the losses by slice, then of the whole
  std::int64_t stepScalars = 0;  ///< f64 that a step leaves behind: those, readValues, and a flag
  std::vector<ReadValue> readValues{};
  int slicesPerRank = 1;
  std::vector<StackTables> stacks{};
  std::vector<StackMember> members{};  ///< by lookup

  Lines prepare{};  ///< what needs the ids of a batch alone; may run during the step before
  Lines step{};     ///< from there to what is to be updated
  Lines update{};   ///< after the last batch of a step
  Lines end{};      ///< sums that the host reads

  [[nodiscard]] bool trains() const { return purpose == StepPurpose::kTrain; }
  [[nodiscard]] int slices() const { return capacity.ranks * slicesPerRank; }
  /// Whether a node takes part in the backward pass; a loss does even where nothing that it depends
  /// on is trained.
  [[nodiscard]] bool runsBackward(std::size_t node) const {
    return hasGradient[at(nodes[node]->output())] || nodes[node]->loss().has_value();
  }
  /// Whether the ids of a table are grouped here for its update: its gradient stays in the space.
  [[nodiscard]] bool groupsIds(const TableGradient& table) const {
    return !capacity.isSplit(table.table) && !table.lookups.empty();
  }
  /// Whether a lookup may have several ids per example, or weights.
  [[nodiscard]] bool isBag(const Lookup& lookup) const {
    return lookup.sequence || capacity.idsOf(lookup.feature) != 1;
  }
  /// Rows of a row space in a batch.
  [[nodiscard]] std::int64_t maxRows(const Graph& graph, RowSpace rows) const;
  /// Max. ids of a lookup in a batch.
  [[nodiscard]] std::int64_t maxIds(const Lookup& lookup) const {
    return capacity.rows * capacity.idsOf(lookup);
  }
  /// Whether the ids of the next batch are sorted during a step, so that what they take is there
  /// twice.
  [[nodiscard]] bool preparesNext() const;
};

/// The program of a memory space. `shardings`: by parameter.
Program compile(const Graph& graph, const StepTask& task, const mesh::DeviceMesh& mesh, int space,
                std::span<const mesh::Sharding> shardings);
Program compile(const Graph& graph, const StepTask& task, SpaceCapacity capacity,
                std::span<const mesh::Sharding> shardings = {});

// The passes of compile(), in their order; each reads what those before it have written.
void lowerGraph(Program& program, const Graph& graph);
void placeGradients(Program& program, const Graph& graph);
void readTablesInPlace(Program& program, const Graph& graph);
void placeScratch(Program& program, const Graph& graph);
void shareBuffers(Program& program, const Graph& graph);
void cutSlices(Program& program, const Graph& graph);
void stackTables(Program& program, const Graph& graph, std::span<const mesh::Sharding> shardings,
                 bool together);
void writeInstructions(Program& program, const Graph& graph,
                       std::span<const mesh::Sharding> shardings, bool overlap);

/// An instruction a line, "beside" where it runs along with others.
std::string text(const Program& program, const Graph& graph);

}  // namespace parapet::nn

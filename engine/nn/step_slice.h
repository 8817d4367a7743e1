// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <span>
#include <vector>

#include "engine/nn/space.h"

namespace parapet::nn {

/// The sequences of the examples that a node works on.
struct SequenceSlice {
  tensor::Sequences here;  ///< for ops
  std::int64_t first = 0;  ///< the first of them among the examples of the global batch
};

/// The rows that a lookup reads in a step: rows of a table, or the rows of a sharded table that a rank has
/// received. The ids of a sequence are not combined: value n is row n. Otherwise bag b has the
/// values [offsets[b], offsets[b+1]) of ids and scales, which begin at the first value of the first
/// bag; without offsets value b is the only id of example b.
struct LookupView {
  const float* table = nullptr;
  std::int64_t tableRows = 0;
  std::span<const std::int32_t> ids;
  const std::int32_t* offsets = nullptr;  ///< [rows + 1], absolute within the batch; null: one id
  const float* scales = nullptr;          ///< factor of each value; null: 1
};

/// How a batch lies in memory spaces: rows [begins[s], begins[s + 1]) in space s.
struct BatchCut {
  std::span<const std::int64_t> begins;
  int space = 0;  ///< of the slice

  [[nodiscard]] int spaces() const { return static_cast<int>(begins.size()) - 1; }
  [[nodiscard]] std::int64_t rows() const { return begins.back(); }
  [[nodiscard]] std::int64_t begin() const { return begins[at(space)]; }
  [[nodiscard]] std::int64_t end() const { return begins[at(space) + 1]; }
};

/// Index of a lookup in the graph by table and feature, or by the value it gives.
std::size_t lookupOf(const Graph& graph, ParameterIndex table, std::int32_t feature);

/// The part of a step that one rank works on, as a node sees it; for a node that works on the whole
/// batch, all that lies in one memory space. Pointers are to the first row of that part. Rows are rows of the row space
/// of the node's output, unless stated otherwise.
class StepSlice {
 public:
  /// A slice of a space, or of slice Program::slices() all that lies there.
  StepSlice(Space& space, const StepCounts& counts, int slice, Workers* workers,
            tensor::Recording* recording = nullptr);

  [[nodiscard]] const tensor::Launch& launch() const { return launch_; }
  [[nodiscard]] std::int64_t rows() const { return rows_.rows(); }
  /// Rows of a value, which may lie over another row space.
  [[nodiscard]] std::int64_t rows(Value value) const { return rowsOfValue(value).rows(); }
  /// The sequences over whose positions a value lies.
  [[nodiscard]] SequenceSlice sequences(Value value) const;
  /// Whether examples share sequences: then position p of a value has the examples of this slice
  /// [offsets[p], offsets[p + 1]), counted from the first.
  [[nodiscard]] bool sharesSequences() const { return !counts_.batch->positions.empty(); }
  [[nodiscard]] tensor::Sequences examplesAt(Value value) const;
  /// Rows of the whole batch that are examples; those after them bring extra negatives alone.
  [[nodiscard]] std::int64_t examples() const { return counts_.batch->exampleRows(); }
  [[nodiscard]] BatchCut cut() const { return {counts_.rowBegins[kExamples], space_.index}; }
  /// The examples of rank r are [rankOffsets()[r], rankOffsets()[r + 1]).
  [[nodiscard]] std::span<const std::int32_t> rankOffsets() const { return counts_.rankOffsets; }
  /// Position of the first row in the global batch.
  [[nodiscard]] std::int64_t firstRow() const {
    return counts_.rowBegins[at(rowSpace_)][at(space_.index)] + rows_.begin;
  }
  /// Index of the first row of a value within its buffer.
  [[nodiscard]] std::int64_t firstInBuffer(Value value) const { return rowsOfValue(value).begin; }
  [[nodiscard]] float* value(Value value) {
    // The memory of a value that a node does not declare belongs to another value by now. Checked
    // where NDEBUG is not set, under the sanitizers among others.
    assert(!backward_ || backward_->backwardReads(value));
    return space_.value(value, rowsOfValue(value).begin);
  }
  /// The rows of a value wherever they are: in its buffer, or in the table that a lookup reads. In
  /// the latter case value() is null, or a buffer to which they are to be copied.
  [[nodiscard]] tensor::GatheredRows gathered(Value value);
  /// Where d(loss)/d(value) goes; null if it is not needed.
  [[nodiscard]] float* gradient(Value value);
  /// Whether this node's contribution to the gradient of `value` is added to an earlier one; only
  /// nodes with accumulatesGradients() need to ask.
  [[nodiscard]] tensor::Accumulate accumulate(Value value) const;
  [[nodiscard]] const float* weight(ParameterIndex index) const;
  /// A parameter that the optimizer does not touch, for its node to move (moving statistics).
  [[nodiscard]] float* state(ParameterIndex index);
  /// This rank's gradient of a dense parameter, which the node writes; null if it is not trained.
  /// For a table that the node reads as a whole (Graph::readsWhole), the gradient of the memory
  /// space.
  [[nodiscard]] float* parameterGradient(ParameterIndex index);
  [[nodiscard]] LookupView lookup(ParameterIndex table, std::int32_t feature) const;
  /// Ids of a feature with one id per example, for the host to read.
  [[nodiscard]] std::span<const std::int32_t> ids(std::int32_t feature) const;
  /// Ids of a feature with one id for each row of the node, for ops: of a sequence as its lookup
  /// has truncated them.
  [[nodiscard]] const std::int32_t* idsHere(std::int32_t feature) const;
  /// StepBatch::itemLogQ.
  [[nodiscard]] std::span<const float> itemLogQ() const { return input().itemLogQ; }
  /// A numeric feature.
  [[nodiscard]] const float* numeric(std::int32_t feature) const;
  /// The labels, or with `feature` ≥ 0 that numeric feature.
  [[nodiscard]] const float* labels(std::int32_t feature) const;
  /// Weights of the examples, for ops; null: all 1.
  [[nodiscard]] const float* weights() const {
    return counts_.batch->weights.empty() ? nullptr : here().weights + slice_.rows.begin;
  }
  /// weights() in memory that the host can read.
  [[nodiscard]] const float* hostWeights() const {
    return counts_.batch->weights.empty() ? nullptr : input().weights.data() + slice_.rows.begin;
  }
  /// Lists of the whole batch as rows of it (see data::Batch::lists), for a BatchNode only: in
  /// memory that the host can read, and for ops.
  [[nodiscard]] std::span<const std::int32_t> lists() const { return input().lists; }
  [[nodiscard]] std::span<const std::int32_t> listsHere() const {
    return {here().lists, input().lists.size()};
  }
  /// Weight of a loss over the denominator of the *global* batch.
  [[nodiscard]] float lossScale(Value loss) const;
  /// Sums of a loss in the device's memory, kSumsOfLoss of them: ops add to them, and the first is
  /// its numerator (before its weight).
  [[nodiscard]] double* lossSums(Value loss);
  /// Adds figures of a loss with negatives; of a BatchNode only.
  void addNegatives(Value loss, const NegativesSums& sums);
  /// Room for scratchElements() of this node, or for meetingElements(), which stay as they are from
  /// its first round forward to its last one back; of a BatchNode only.
  [[nodiscard]] float* scratch() { return space_.batchScratch() + scratchOffset_; }
  /// stagedElements() of this node: what it writes on the host for ops to read, until the node ends
  /// a pass or a round; of a BatchNode only.
  [[nodiscard]] tensor::StagedArray<std::int32_t>& staged() { return space_.staged(); }
  /// True in a training step: dropout drops, norms use the batch, losses leave all to backward().
  [[nodiscard]] bool trains() const { return space_.program.trains(); }
  /// Key of the draws of this node in this step; see Node::drawStream().
  [[nodiscard]] tensor::DrawKey drawKey() const;

  // For the runner:

  void runForward(std::size_t node);
  /// One step of the backward pass: the node writes, or adds where an earlier node has written.
  void runBackward(std::size_t node);
  /// Begins and ends the rounds of a node that has several in a pass.
  void begin(std::size_t node, Pass pass);
  void end();

 private:
  [[nodiscard]] std::size_t lossIndex(Value loss) const;

  Space& space_;
  const StepCounts& counts_;
  SliceRows slice_;
  tensor::Launch launch_;
  mesh::RowSlice rows_;            // of the running node
  RowSpace rowSpace_ = kExamples;  // the same
  ParameterGradients gradients_;
  double* lossSums_ = nullptr;
  /// Where a gradient that the running node would write over another goes instead; null: no need.
  float* redirected(Value value);
  float* redirectedParameter(ParameterIndex index);
  void addRedirected();

  /// The rows of the space, for the host and for ops.
  [[nodiscard]] const StepBatch& input() const { return space_.stage().rows.input(); }
  [[nodiscard]] const InputHere& here() const { return space_.stage().rows.here(); }
  [[nodiscard]] mesh::RowSlice rowsOf(RowSpace rows) const {
    return space_.stage().rowOffsets[at(rows)].rowsOf(slice_.rows);
  }
  [[nodiscard]] mesh::RowSlice rowsOfValue(Value value) const {
    return rowsOf(space_.graph.rowSpace(value));
  }

  [[nodiscard]] ParameterShard& whole(ParameterIndex index) const {
    return wholeIn(space_.parameters[at(index)], space_.index);
  }

  std::size_t node_ = 0;  // that runs
  std::int64_t scratchOffset_ = 0;
  // State of the node that is run backward:
  const Node* backward_ = nullptr;
  const std::vector<Value>* accumulated_ = nullptr;
  const std::vector<ParameterIndex>* accumulatedParameters_ = nullptr;
  bool nodeAccumulates_ = false;
};

}  // namespace parapet::nn

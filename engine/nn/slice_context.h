// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <span>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/nn/lookup_rows.h"
#include "engine/nn/plan_buffers.h"
#include "engine/nn/plan_layout.h"
#include "engine/nn/sharded_stack.h"
#include "engine/nn/staged_input.h"
#include "engine/nn/step_input.h"

namespace parapet::nn {

/// Rows that are worked on together, and the rank that they belong to.
struct SliceRows {
  int rank = 0;
  mesh::RowSlice rows;  ///< within the rows of the memory space
};

/// The copy of a parameter in one piece that a memory space has.
inline ParameterShard& wholeIn(Parameter& parameter, int space) {
  return parameter.whole(parameter.copies() > 1 ? space : 0);
}

/// Where the rows of each example of a memory space are in a row space, from the first of them on:
/// offsets [examples + 1]. Null for the examples themselves.
struct RowOffsets {
  const std::int32_t* host = nullptr;  ///< for the host
  const std::int32_t* here = nullptr;  ///< for ops

  /// Rows of the examples [begin, end).
  [[nodiscard]] mesh::RowSlice rowsOf(mesh::RowSlice examples) const {
    if (!host) return examples;
    return {host[examples.begin] - host[0], host[examples.end] - host[0]};
  }
};

/// Where a slice writes gradients of parameters, see PlanLayout; null: nowhere.
struct ParameterGradients {
  float* dense = nullptr;    ///< gradients of dense parameters, of this slice
  float* scratch = nullptr;  ///< for gradients that are added to `dense`
  float* whole = nullptr;    ///< gradients of tables read as a whole; kBatch nodes only
};

/// What the slices of a memory space share in a step.
struct PlanView {
  const Graph& graph;
  const PlanLayout& layout;
  std::span<Parameter> parameters;
  PlanBuffers& buffers;
  std::span<const LookupRows> lookups;
  std::span<const StackMember> members;  ///< by lookup
  std::span<ShardedStack> stacks;
  std::span<const double> lossScales;  ///< by loss of the graph
  std::span<NegativesSums> negatives;  ///< by loss of the graph
  std::span<const std::int32_t> rankOffsets;
  std::span<const RowOffsets> rowOffsets;                ///< by row space
  std::span<const std::vector<std::int64_t>> rowBegins;  ///< by row space: see BatchCut
  const StepInput& input;                                ///< the rows of the space
  const InputHere& here;                                 ///< the rows of the space, for ops
  const StepInput& batch;
  BatchCut cut;
  bool trains;
  const tensor::StagedArray<std::uint64_t>& drawKeys;  ///< by node
};

/// Index of a lookup in the graph by table and feature, or by the value it gives.
std::size_t lookupOf(const Graph& graph, ParameterIndex table, std::int32_t feature);

/// A slice's part of a step; of a node that works on the whole batch, all of it.
class SliceContext final : public NodeContext {
 public:
  /// `lossSums`: those of this slice, kSumsOfLoss of each loss.
  SliceContext(const PlanView& plan, tensor::Launch launch, SliceRows slice,
               ParameterGradients gradients, double* lossSums)
      : plan_(plan),
        launch_(launch),
        slice_(slice),
        rows_(slice.rows),
        gradients_(gradients),
        lossSums_(lossSums) {}

  const tensor::Launch& launch() const override { return launch_; }
  std::int64_t rows() const override { return rows_.rows(); }
  std::int64_t rows(Value value) const override { return rowsOfValue(value).rows(); }
  SequenceSlice sequences(Value value) const override;
  std::int64_t examples() const override { return plan_.batch.exampleRows(); }
  BatchCut cut() const override { return plan_.cut; }
  std::span<const std::int32_t> rankOffsets() const override { return plan_.rankOffsets; }
  std::int64_t firstRow() const override {
    return plan_.rowBegins[at(rowSpace_)][at(plan_.cut.space)] + rows_.begin;
  }
  std::int64_t firstInBuffer(Value value) const override { return rowsOfValue(value).begin; }
  float* value(Value value) override {
    // The memory of a value that a node does not declare belongs to another value by now. Checked
    // where NDEBUG is not set, under the sanitizers among others.
    assert(!backward_ || backward_->backwardReads(value));
    return plan_.buffers.value(value, rowsOfValue(value).begin);
  }
  float* gradient(Value value) override;
  tensor::GatheredRows gathered(Value value) override;
  tensor::Accumulate accumulate(Value value) const override;
  const float* weight(ParameterIndex index) const override;
  float* state(ParameterIndex index) override;
  float* parameterGradient(ParameterIndex index) override;
  LookupView lookup(ParameterIndex table, std::int32_t feature) const override;
  std::span<const std::int32_t> ids(std::int32_t feature) const override;
  const std::int32_t* idsHere(std::int32_t feature) const override;
  std::span<const float> itemLogQ() const override { return plan_.input.itemLogQ; }
  const float* numeric(std::int32_t feature) const override;
  const float* labels(std::int32_t feature) const override;
  const float* weights() const override {
    return plan_.batch.weights.empty() ? nullptr : plan_.here.weights + slice_.rows.begin;
  }
  const float* hostWeights() const override {
    return plan_.batch.weights.empty() ? nullptr : plan_.input.weights.data() + slice_.rows.begin;
  }
  std::span<const std::int32_t> lists() const override { return plan_.input.lists; }
  std::span<const std::int32_t> listsHere() const override {
    return {plan_.here.lists, plan_.input.lists.size()};
  }
  float lossScale(Value loss) const override;
  double* lossSums(Value loss) override;
  void addNegatives(Value loss, const NegativesSums& sums) override;
  float* scratch() override { return plan_.buffers.batchScratch() + scratchOffset_; }
  tensor::StagedArray<std::int32_t>& staged() override { return plan_.buffers.staged(); }
  bool trains() const override { return plan_.trains; }
  tensor::DrawKey drawKey() const override;

  void runForward(std::size_t node);
  /// One step of the backward pass: the node writes, or adds where an earlier node has written.
  void runBackward(std::size_t node);
  /// Begins and ends the rounds of a node that has several in a pass.
  void begin(std::size_t node, Pass pass);
  void end();

 private:
  [[nodiscard]] std::size_t lossIndex(Value loss) const;

  const PlanView& plan_;
  tensor::Launch launch_;
  SliceRows slice_;
  mesh::RowSlice rows_;            // of the running node
  RowSpace rowSpace_ = kExamples;  // the same
  ParameterGradients gradients_;
  double* lossSums_;
  /// Where a gradient that the running node would write over another goes instead; null: no need.
  float* redirected(Value value);
  float* redirectedParameter(ParameterIndex index);
  void addRedirected();

  [[nodiscard]] mesh::RowSlice rowsOf(RowSpace rows) const {
    return plan_.rowOffsets[at(rows)].rowsOf(slice_.rows);
  }
  [[nodiscard]] mesh::RowSlice rowsOfValue(Value value) const {
    return rowsOf(plan_.graph.rowSpace(value));
  }

  [[nodiscard]] ParameterShard& whole(ParameterIndex index) const {
    return wholeIn(plan_.parameters[at(index)], plan_.cut.space);
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/nn/lookup_rows.h"
#include "engine/nn/plan_buffers.h"
#include "engine/nn/plan_layout.h"
#include "engine/nn/sharded_stack.h"
#include "engine/nn/staged_input.h"
#include "engine/nn/step_plan.h"

namespace parapet::nn {

/// Rows that are worked on together, and the rank that they belong to.
struct SliceRows {
  int rank = 0;
  mesh::RowSlice rows;         ///< of those of the memory space
  std::int64_t rankBegin = 0;  ///< first of the rank among those
};

/// The copy of a parameter in one piece that a memory space has.
inline ParameterShard& wholeIn(Parameter& parameter, int space) {
  return parameter.whole(parameter.copies() > 1 ? space : 0);
}

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
  std::span<NegativesSums> negatives;  ///< the same
  std::span<const std::int32_t> rankOffsets;
  const StepInput& input;  ///< the rows of the space
  const InputHere& here;   ///< the same, for ops
  const StepInput& batch;
  BatchCut cut;
  bool trains;
  std::uint64_t randomKey;
};

/// Index of a lookup in the graph by table and feature, or by the value it gives.
std::size_t lookupOf(const Graph& graph, ParameterIndex table, std::int32_t feature);

/// A slice's part of a step; of a node that works on the whole batch, all of it.
class SliceContext final : public NodeContext {
 public:
  /// `gradients`: this slice's gradients of the dense parameters, see PlanLayout::denseOffsets.
  /// `lossSums`: those of this slice, kSumsOfLoss of each loss.
  SliceContext(const PlanView& plan, tensor::Launch launch, SliceRows slice, float* gradients,
               double* lossSums)
      : plan_(plan), launch_(launch), slice_(slice), gradients_(gradients), lossSums_(lossSums) {}

  const tensor::Launch& launch() const override { return launch_; }
  std::int64_t rows() const override { return slice_.rows.rows(); }
  std::int64_t examples() const override { return plan_.batch.exampleRows(); }
  BatchCut cut() const override { return plan_.cut; }
  std::span<const std::int32_t> rankOffsets() const override { return plan_.rankOffsets; }
  std::int64_t firstRow() const override { return plan_.cut.begin() + slice_.rows.begin; }
  float* value(Value value) override { return plan_.buffers.value(value, slice_.rows.begin); }
  float* gradient(Value value) override;
  tensor::GatheredRows gathered(Value value) override;
  tensor::Accumulate accumulate(Value value) const override;
  const float* weight(ParameterIndex index) const override;
  float* state(ParameterIndex index) override;
  float* parameterGradient(ParameterIndex index) override;
  LookupView lookup(ParameterIndex table, std::int32_t feature) const override;
  std::span<const std::int32_t> ids(std::int32_t feature) const override;
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
  std::uint64_t randomKey() const override { return plan_.randomKey; }

  /// One step of the backward pass: the node writes, or adds where an earlier node has written.
  void runBackward(std::size_t node);
  /// The same for a node of several rounds: they lie between the two.
  void begin(std::size_t node, Pass pass);
  void end();

 private:
  [[nodiscard]] std::size_t lossIndex(Value loss) const;

  const PlanView& plan_;
  tensor::Launch launch_;
  SliceRows slice_;
  float* gradients_;
  double* lossSums_;
  /// Where a gradient that the running node would write over another goes instead; null: no need.
  float* redirected(Value value);

  [[nodiscard]] ParameterShard& whole(ParameterIndex index) const {
    return wholeIn(plan_.parameters[at(index)], plan_.cut.space);
  }

  std::int64_t scratchOffset_ = 0;
  const std::vector<Value>* accumulated_ = nullptr;  // of the node that is run backward
  bool nodeAccumulates_ = false;
};

}  // namespace parapet::nn

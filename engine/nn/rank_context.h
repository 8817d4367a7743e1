// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/nn/plan_layout.h"
#include "engine/nn/step_plan.h"

namespace parapet::nn {

/// Activations and their gradients: once per memory space, ranks own row slices of them.
struct PlanBuffers {
  std::vector<tensor::Buffer<float>> values, gradients;  ///< by value; empty: none

  /// Row `row` of a buffer; null if there is none.
  static float* at(std::vector<tensor::Buffer<float>>& buffers, const Graph& graph, Value value,
                   std::int64_t row) {
    auto& buffer = buffers[static_cast<std::size_t>(value)];
    return buffer.size() == 0 ? nullptr : buffer.data() + row * graph.cols(value);
  }
};

/// Where the ranks of a plan find what they share.
struct PlanView {
  const Graph& graph;
  const PlanLayout& layout;
  std::span<Parameter> parameters;
  PlanBuffers& buffers;
  const StepInput& input;
};

/// The rows of a value from row `begin` of the batch on: of its buffer, or of the table in place.
tensor::PickedRows pickedRows(const PlanView& plan, Value value, std::int64_t begin);

/// The rows of a value as the forward pass read them: its buffer, or the table if there is none,
/// which then is not updated before it has been read.
tensor::PickedRows unchangedRows(const PlanView& plan, Value value);

/// A rank's part of a step.
class RankContext final : public NodeContext {
 public:
  /// `parameterGradients`: by parameter, this rank's gradient of it or null.
  RankContext(const PlanView& plan, tensor::Launch launch, mesh::RowSlice slice,
              std::span<float* const> parameterGradients)
      : plan_(plan), launch_(launch), slice_(slice), parameterGradients_(parameterGradients) {}

  const tensor::Launch& launch() const override { return launch_; }
  std::int64_t rows() const override { return slice_.rows(); }
  float* value(Value value) override {
    return PlanBuffers::at(plan_.buffers.values, plan_.graph, value, slice_.begin);
  }
  float* gradient(Value value) override {
    return PlanBuffers::at(plan_.buffers.gradients, plan_.graph, value, slice_.begin);
  }
  tensor::PickedRows picked(Value value) override { return pickedRows(plan_, value, slice_.begin); }
  tensor::Accumulate accumulate(Value value) const override;
  const Parameter& parameter(ParameterIndex index) const override {
    return plan_.parameters[static_cast<std::size_t>(index)];
  }
  float* parameterGradient(ParameterIndex index) override {
    return parameterGradients_[static_cast<std::size_t>(index)];
  }
  std::span<const std::int32_t> ids(std::int32_t feature) const override;
  const float* labels() const override;
  const float* weights() const override {
    return plan_.input.weights.empty() ? nullptr : plan_.input.weights.data() + slice_.begin;
  }
  float lossScale() const override { return static_cast<float>(1.0 / plan_.input.denominator); }
  void addErrors(const tensor::ErrorSums& sums) override { errors_ = sums; }

  /// Values whose gradient an earlier node of the backward pass has written already.
  void setAccumulating(const std::vector<Value>& values) { accumulating_ = &values; }
  [[nodiscard]] const tensor::ErrorSums& errors() const { return errors_; }

 private:
  const PlanView& plan_;
  tensor::Launch launch_;
  mesh::RowSlice slice_;
  std::span<float* const> parameterGradients_;
  const std::vector<Value>* accumulating_ = nullptr;
  tensor::ErrorSums errors_;
};

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/data/batches.h"
#include "engine/nn/parameters.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::nn {

/// Index of a value (an activation, [rows of the batch, cols]) in its graph.
using Value = std::int32_t;
/// Index of a parameter in its graph.
using ParameterIndex = std::int32_t;

/// The part of a step that one rank works on, as a node sees it. Pointers are to the first row of
/// the rank's slice.
class NodeContext {
 public:
  virtual ~NodeContext() = default;
  [[nodiscard]] virtual const tensor::Launch& launch() const = 0;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual float* value(Value value) = 0;
  /// The same rows wherever they are: in the value's buffer, or in the table that a lookup reads.
  /// value() is null then, or a buffer that wants a copy of them.
  [[nodiscard]] virtual tensor::PickedRows picked(Value value) = 0;
  /// Where d(loss)/d(value) goes; null if nobody wants it.
  [[nodiscard]] virtual float* gradient(Value value) = 0;
  /// Whether this node's contribution to the gradient of `value` is added to an earlier one.
  [[nodiscard]] virtual tensor::Accumulate accumulate(Value value) const = 0;
  [[nodiscard]] virtual const Parameter& parameter(ParameterIndex index) const = 0;
  /// This rank's gradient of a dense parameter; null if it is not trained.
  [[nodiscard]] virtual float* parameterGradient(ParameterIndex index) = 0;
  /// Ids of this rank's rows of a feature.
  [[nodiscard]] virtual std::span<const std::int32_t> ids(std::int32_t feature) const = 0;
  [[nodiscard]] virtual const float* labels() const = 0;
  /// Null: all 1.
  [[nodiscard]] virtual const float* weights() const = 0;
  /// 1 / denominator of the *global* batch's loss.
  [[nodiscard]] virtual float lossScale() const = 0;
  virtual void addErrors(const tensor::ErrorSums& sums) = 0;
};

/// One operation of a graph with its derivative. Nodes hold no buffers and no counts: the plan owns
/// the memory, the step brings the counts.
class Node {
 public:
  Node(std::string name, std::vector<Value> inputs, Value output)
      : name_(std::move(name)), inputs_(std::move(inputs)), output_(output) {}
  virtual ~Node() = default;

  virtual void forward(NodeContext& context) const = 0;
  /// Reads gradient(output) and writes gradients of inputs and parameters.
  virtual void backward(NodeContext& context) const = 0;
  /// Whether this is a row-wise product of its two inputs that reads them through picked(): then
  /// the gradient of either is d(loss)/d(output)[b] times row b of the other (see PlanLayout).
  [[nodiscard]] virtual bool readsPickedRows() const { return false; }
  /// Parameters this node reads.
  [[nodiscard]] virtual std::vector<ParameterIndex> parameters() const { return {}; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Value>& inputs() const { return inputs_; }
  [[nodiscard]] Value output() const { return output_; }

 private:
  std::string name_;
  std::vector<Value> inputs_;
  Value output_;
};

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/nn/node.h"

namespace parapet::nn {

/// Where an embedding lookup sits: its gradient is merged by row before the table is updated.
struct Lookup {
  ParameterIndex table;
  std::int32_t feature;
  Value output;
};

/// A static model: parameters and nodes in execution order. Built once, compiled to step plans.
///
/// Errors   InvalidArgument for widths that do not fit, naming both; for a value or parameter that
///          is not of this graph; for what no gradient could be right for: a node that reads a
///          value twice, a second reader of what an activation or the loss reads, a dense parameter
///          with two readers, a table that is not looked up.
class Graph {
 public:
  ParameterIndex addParameter(ParameterSpec spec);

  /// out[b, :] = table[ids of `feature`[b], :].
  Value lookup(const std::string& name, ParameterIndex table, std::int32_t feature);
  /// Columns side by side, in order.
  Value concat(const std::string& name, const std::vector<Value>& parts);
  /// x·kernel, kernel [cols of x, units].
  Value matmul(const std::string& name, Value x, ParameterIndex kernel);
  /// act(x + bias); bias may be −1 for none.
  Value biasActivation(const std::string& name, Value x, ParameterIndex bias,
                       tensor::ActivationOp activation);
  /// Row-wise dot product of two values of equal width: [B, 1].
  Value dot(const std::string& name, Value x, Value y);
  /// Squared error of `prediction` [B, 1] against the labels; the loss of a plan.
  Value squaredError(const std::string& name, Value prediction);

  [[nodiscard]] const std::vector<ParameterSpec>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Lookup>& lookups() const { return lookups_; }
  [[nodiscard]] std::int64_t cols(Value value) const {
    return cols_.at(static_cast<std::size_t>(value));
  }
  [[nodiscard]] std::int32_t values() const { return static_cast<std::int32_t>(cols_.size()); }

 private:
  /// Whether a node adds its part to the gradient of what it reads or just writes it.
  enum class Gradient { kAdds, kWrites };
  Value addValue(std::int64_t cols);
  void read(const std::string& node, Value value, Gradient gradient);
  const ParameterSpec& readDense(const std::string& node, ParameterIndex index);
  const ParameterSpec& known(const std::string& node, ParameterIndex index) const;

  std::vector<ParameterSpec> parameters_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Lookup> lookups_;
  std::vector<std::int64_t> cols_;
  struct Readers {
    std::int32_t count = 0;
    bool written = false;  ///< one of them writes the gradient, so there may be no other
    std::size_t last = 0;  ///< position of the last one in nodes_
    std::string name;      ///< of the last one
  };
  std::vector<Readers> readers_;           // of each value
  std::vector<std::string> denseReaders_;  // of each parameter, "" if none
};

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class MultiplyNode final : public Node {
 public:
  MultiplyNode(const Graph& graph, const std::string& name, Value x, Value y)
      : Node(graph, name, {x, y}) {
    requireEqualWidths(graph);
  }

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpMultiply{.rows = slice.rows(),
                                           .width = width(),
                                           .x = slice.value(inputs()[0]),
                                           .y = slice.value(inputs()[1]),
                                           .z = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    const Value x = inputs()[0], y = inputs()[1];
    tensor::run(slice.launch(), PpMultiplyGradient{.rows = slice.rows(),
                                                   .width = width(),
                                                   .x = slice.value(x),
                                                   .y = slice.value(y),
                                                   .dz = slice.gradient(output()),
                                                   .dx = slice.gradient(x),
                                                   .accumulateX = numberOf(slice.accumulate(x)),
                                                   .dy = slice.gradient(y),
                                                   .accumulateY = numberOf(slice.accumulate(y))});
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }

  std::int64_t flops() const override { return width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(multiply), width()}, {PARAPET_OP(multiplyGradient), width()}};
  }
};

}  // namespace

Value multiply(Graph& graph, const std::string& name, Value x, Value y) {
  return graph.add<MultiplyNode>(name, x, y);
}

}  // namespace parapet::nn

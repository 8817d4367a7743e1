// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class L2NormalizeNode final : public Node {
 public:
  L2NormalizeNode(const Graph& graph, const std::string& name, Value x) : Node(graph, name, {x}) {}

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpL2Normalize{.rows = slice.rows(),
                                              .width = width(),
                                              .x = slice.value(inputs()[0]),
                                              .epsilon = kEpsilon,
                                              .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    if (float* const dx = slice.gradient(inputs()[0]))
      tensor::run(slice.launch(), PpL2NormalizeGradient{.rows = slice.rows(),
                                                        .width = width(),
                                                        .x = slice.value(inputs()[0]),
                                                        .epsilon = kEpsilon,
                                                        .dy = slice.gradient(output()),
                                                        .dx = dx});
  }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }

  std::int64_t flops() const override { return 4 * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(l2Normalize), width()}, {PARAPET_OP(l2NormalizeGradient), width()}};
  }

 private:
  // TensorFlow's value: far below the square of any row that is not zero.
  static constexpr float kEpsilon = 1e-12f;
};

}  // namespace

Value l2Normalize(Graph& graph, const std::string& name, Value x) {
  return graph.add<L2NormalizeNode>(name, x);
}

}  // namespace parapet::nn

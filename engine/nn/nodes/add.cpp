// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

using tensor::Accumulate;

class AddNode final : public Node {
 public:
  AddNode(const Graph& graph, const std::string& name, const std::vector<Value>& parts)
      : Node(graph, name, parts) {
    requireEqualWidths(graph);
  }

  void forward(StepSlice& slice) const override {
    auto accumulate = Accumulate::kNo;
    for (const Value part : inputs()) {
      copy(slice, slice.value(part), slice.value(output()), accumulate);
      accumulate = Accumulate::kYes;
    }
  }
  void backward(StepSlice& slice) const override {
    for (const Value part : inputs())
      if (float* out = slice.gradient(part))
        copy(slice, slice.gradient(output()), out, slice.accumulate(part));
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }

  std::int64_t flops() const override { return width() * std::ssize(inputs()); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(copyColumns), width()}};
  }

 private:
  void copy(StepSlice& slice, const float* in, float* out, Accumulate accumulate) const {
    tensor::run(slice.launch(), PpCopyColumns{.rows = slice.rows(),
                                              .width = width(),
                                              .in = in,
                                              .strideIn = width(),
                                              .out = out,
                                              .strideOut = width(),
                                              .accumulate = numberOf(accumulate)});
  }
};

}  // namespace

Value add(Graph& graph, const std::string& name, const std::vector<Value>& parts) {
  return graph.add<AddNode>(name, parts);
}

}  // namespace parapet::nn

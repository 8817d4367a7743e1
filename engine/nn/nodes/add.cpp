// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

using tensor::Accumulate;

class AddNode final : public Node {
 public:
  AddNode(std::string name, std::vector<Value> parts, std::int64_t width, Value output)
      : Node(std::move(name), std::move(parts), output), width_(width) {}

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

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(copyColumns), width_}};
  }

 private:
  void copy(StepSlice& slice, const float* in, float* out, Accumulate accumulate) const {
    tensor::run(slice.launch(), PpCopyColumns{.rows = slice.rows(),
                                              .width = width_,
                                              .in = in,
                                              .strideIn = width_,
                                              .out = out,
                                              .strideOut = width_,
                                              .accumulate = numberOf(accumulate)});
  }
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeAdd(std::string name, std::vector<Value> parts, std::int64_t width,
                              Value output) {
  return std::make_unique<AddNode>(std::move(name), std::move(parts), width, output);
}

}  // namespace parapet::nn

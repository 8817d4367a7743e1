// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

using tensor::Accumulate;

class AddNode final : public Node {
 public:
  AddNode(std::string name, std::vector<Value> parts, std::int64_t width, Value output)
      : Node(std::move(name), std::move(parts), output), width_(width) {}

  void forward(NodeContext& context) const override {
    auto accumulate = Accumulate::kNo;
    for (const Value part : inputs()) {
      copy(context, context.value(part), context.value(output()), accumulate);
      accumulate = Accumulate::kYes;
    }
  }
  void backward(NodeContext& context) const override {
    for (const Value part : inputs())
      if (float* out = context.gradient(part))
        copy(context, context.gradient(output()), out, context.accumulate(part));
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(copyColumns), width_}};
  }

 private:
  void copy(NodeContext& context, const float* in, float* out, Accumulate accumulate) const {
    tensor::run(context.launch(), PpCopyColumns{.rows = context.rows(),
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

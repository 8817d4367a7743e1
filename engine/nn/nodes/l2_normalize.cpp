// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class L2NormalizeNode final : public Node {
 public:
  L2NormalizeNode(std::string name, Value x, double epsilon, std::int64_t width, Value output)
      : Node(std::move(name), {x}, output), epsilon_(static_cast<float>(epsilon)), width_(width) {}

  void forward(NodeContext& context) const override {
    tensor::run(context.launch(), PpL2Normalize{.rows = context.rows(),
                                                .width = width_,
                                                .x = context.value(inputs()[0]),
                                                .epsilon = epsilon_,
                                                .y = context.value(output())});
  }
  void backward(NodeContext& context) const override {
    if (float* const dx = context.gradient(inputs()[0]))
      tensor::run(context.launch(), PpL2NormalizeGradient{.rows = context.rows(),
                                                          .width = width_,
                                                          .x = context.value(inputs()[0]),
                                                          .epsilon = epsilon_,
                                                          .dy = context.gradient(output()),
                                                          .dx = dx});
  }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(l2Normalize), width_}, {PARAPET_OP(l2NormalizeGradient), width_}};
  }

 private:
  float epsilon_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeL2Normalize(std::string name, Value x, double epsilon, std::int64_t width,
                                      Value output) {
  return std::make_unique<L2NormalizeNode>(std::move(name), x, epsilon, width, output);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class L2NormalizeNode final : public Node {
 public:
  L2NormalizeNode(std::string name, Value x, double epsilon, std::int64_t width, Value output)
      : Node(std::move(name), {x}, output), epsilon_(static_cast<float>(epsilon)), width_(width) {}

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpL2Normalize{.rows = slice.rows(),
                                              .width = width_,
                                              .x = slice.value(inputs()[0]),
                                              .epsilon = epsilon_,
                                              .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    if (float* const dx = slice.gradient(inputs()[0]))
      tensor::run(slice.launch(), PpL2NormalizeGradient{.rows = slice.rows(),
                                                        .width = width_,
                                                        .x = slice.value(inputs()[0]),
                                                        .epsilon = epsilon_,
                                                        .dy = slice.gradient(output()),
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

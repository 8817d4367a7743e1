// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class MatmulNode final : public Node {
 public:
  MatmulNode(std::string name, Value x, ParameterIndex kernel, std::int64_t width,
             std::int64_t units, Value output)
      : Node(std::move(name), {x}, output), kernel_(kernel), width_(width), units_(units) {}

  // y [B, N] = x [B, K] · W [K, N]
  void forward(NodeContext& context) const override {
    tensor::matmul(context.launch(), context.rows(), units_, width_,
                   {context.value(inputs()[0]), width_}, {context.weight(kernel_), units_}, 0.0f,
                   context.value(output()), units_);
  }

  // dW = xᵀ·dy ; dx = dy·Wᵀ
  void backward(NodeContext& context) const override {
    const float* dy = context.gradient(output());
    if (float* dw = context.parameterGradient(kernel_))
      tensor::matmul(context.launch(), width_, units_, context.rows(),
                     {context.value(inputs()[0]), width_, true}, {dy, units_}, 0.0f, dw, units_);
    if (float* dx = context.gradient(inputs()[0])) {
      const bool add = context.accumulate(inputs()[0]) == tensor::Accumulate::kYes;
      tensor::matmul(context.launch(), context.rows(), width_, units_, {dy, units_},
                     {context.weight(kernel_), units_, true}, add ? 1.0f : 0.0f, dx, width_);
    }
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }
  std::vector<ParameterIndex> parameters() const override { return {kernel_}; }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(matmul), std::max(width_, units_)}};
  }

 private:
  ParameterIndex kernel_;
  std::int64_t width_, units_;
};

}  // namespace

std::unique_ptr<Node> makeMatmul(std::string name, Value x, ParameterIndex kernel,
                                 std::int64_t width, std::int64_t units, Value output) {
  return std::make_unique<MatmulNode>(std::move(name), x, kernel, width, units, output);
}

}  // namespace parapet::nn

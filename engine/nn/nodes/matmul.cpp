// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class MatmulNode final : public Node {
 public:
  MatmulNode(std::string name, Value x, ParameterIndex kernel, Value output)
      : Node(std::move(name), {x}, output), kernel_(kernel) {}

  // y [B, N] = x [B, K] · W [K, N]
  void forward(NodeContext& context) const override {
    const Parameter& kernel = context.parameter(kernel_);
    const std::int64_t in = kernel.spec.rows, units = kernel.spec.cols;
    tensor::matmul(context.launch(), context.rows(), units, in, {context.value(inputs()[0]), in},
                   {kernel.weight.data(), units}, 0.0f, context.value(output()), units);
  }

  // dW = xᵀ·dy ; dx = dy·Wᵀ
  void backward(NodeContext& context) const override {
    const Parameter& kernel = context.parameter(kernel_);
    const std::int64_t in = kernel.spec.rows, units = kernel.spec.cols;
    const float* dy = context.gradient(output());
    if (float* dw = context.parameterGradient(kernel_))
      tensor::matmul(context.launch(), in, units, context.rows(),
                     {context.value(inputs()[0]), in, true}, {dy, units}, 0.0f, dw, units);
    if (float* dx = context.gradient(inputs()[0])) {
      const bool add = context.accumulate(inputs()[0]) == tensor::Accumulate::kYes;
      tensor::matmul(context.launch(), context.rows(), in, units, {dy, units},
                     {kernel.weight.data(), units, true}, add ? 1.0f : 0.0f, dx, in);
    }
  }
  std::vector<ParameterIndex> parameters() const override { return {kernel_}; }

 private:
  ParameterIndex kernel_;
};

}  // namespace

std::unique_ptr<Node> makeMatmul(std::string name, Value x, ParameterIndex kernel, Value output) {
  return std::make_unique<MatmulNode>(std::move(name), x, kernel, output);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

using tensor::ActivationOp;

class DenseNode final : public Node {
 public:
  DenseNode(std::string name, Value x, const DenseParameters& parameters, ActivationOp activation,
            std::int64_t width, std::int64_t units, Value output)
      : Node(std::move(name), {x}, output),
        kernel_(parameters.kernel),
        bias_(parameters.bias),
        activation_(activation),
        width_(width),
        units_(units) {}

  // y [B, N] = act(x [B, K] · W [K, N] + bias [N])
  void forward(NodeContext& context) const override {
    tensor::run(context.launch(), PpMatmul{.m = context.rows(),
                                           .n = units_,
                                           .k = width_,
                                           .a = context.value(inputs()[0]),
                                           .strideA = width_,
                                           .b = context.weight(kernel_),
                                           .strideB = units_,
                                           .c = context.value(output()),
                                           .strideC = units_,
                                           .bias = bias_ < 0 ? nullptr : context.weight(bias_),
                                           .activation = numberOf(activation_)});
  }

  // dz = dy ⊙ act′, which is taken from y ; dbias = Σ_b dz ; dW = xᵀ·dz ; dx = dz·Wᵀ
  void backward(NodeContext& context) const override {
    const float* dz = productGradient(context);
    if (float* dw = context.parameterGradient(kernel_))
      tensor::run(context.launch(), PpMatmul{.m = width_,
                                             .n = units_,
                                             .k = context.rows(),
                                             .transposeA = 1,
                                             .a = context.value(inputs()[0]),
                                             .strideA = width_,
                                             .b = dz,
                                             .strideB = units_,
                                             .c = dw,
                                             .strideC = units_});
    if (float* dx = context.gradient(inputs()[0])) {
      const bool add = context.accumulate(inputs()[0]) == tensor::Accumulate::kYes;
      tensor::run(context.launch(), PpMatmul{.m = context.rows(),
                                             .n = width_,
                                             .k = units_,
                                             .transposeB = 1,
                                             .a = dz,
                                             .strideA = units_,
                                             .b = context.weight(kernel_),
                                             .strideB = units_,
                                             .beta = add ? 1.0f : 0.0f,
                                             .c = dx,
                                             .strideC = width_});
    }
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override {
    return value != output() || activation_ != ActivationOp::kLinear;
  }
  std::vector<ParameterIndex> parameters() const override {
    return bias_ < 0 ? std::vector<ParameterIndex>{kernel_}
                     : std::vector<ParameterIndex>{kernel_, bias_};
  }

  std::vector<tensor::OpRequest> ops() const override {
    std::vector<tensor::OpRequest> called{{PARAPET_OP(matmul), std::max(width_, units_)}};
    if (bias_ >= 0 || activation_ != ActivationOp::kLinear)
      called.push_back({PARAPET_OP(biasActivationGradient), units_});
    return called;
  }

 private:
  /// The gradient of the activation's input. It overwrites the gradient of the output, which
  /// nothing reads after this node.
  const float* productGradient(NodeContext& context) const {
    float* const dy = context.gradient(output());
    float* const dbias = bias_ < 0 ? nullptr : context.parameterGradient(bias_);
    const bool isLinear = activation_ == ActivationOp::kLinear;
    if (isLinear && !dbias) return dy;
    // Neither the product nor the bias is read; for a line y is not, either.
    tensor::run(context.launch(),
                PpBiasActivationGradient{.rows = context.rows(),
                                         .width = units_,
                                         .activation = numberOf(activation_),
                                         .x = dy,
                                         .y = isLinear ? dy : context.value(output()),
                                         .dy = dy,
                                         .dx = dy,
                                         .dbias = dbias});
    return dy;
  }

  ParameterIndex kernel_, bias_;
  ActivationOp activation_;
  std::int64_t width_, units_;
};

}  // namespace

std::unique_ptr<Node> makeDense(std::string name, Value x, const DenseParameters& parameters,
                                tensor::ActivationOp activation, std::int64_t width,
                                std::int64_t units, Value output) {
  return std::make_unique<DenseNode>(std::move(name), x, parameters, activation, width, units,
                                     output);
}

}  // namespace parapet::nn

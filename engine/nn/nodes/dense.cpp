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
    tensor::matmul(context.launch(), context.rows(), units_, width_,
                   {context.value(inputs()[0]), width_}, {context.weight(kernel_), units_}, 0.0f,
                   context.value(output()), units_,
                   {bias_ < 0 ? nullptr : context.weight(bias_), activation_});
  }

  // dz = dy ⊙ act′, which is taken from y ; dbias = Σ_b dz ; dW = xᵀ·dz ; dx = dz·Wᵀ
  void backward(NodeContext& context) const override {
    const float* dz = productGradient(context);
    if (float* dw = context.parameterGradient(kernel_))
      tensor::matmul(context.launch(), width_, units_, context.rows(),
                     {context.value(inputs()[0]), width_, true}, {dz, units_}, 0.0f, dw, units_);
    if (float* dx = context.gradient(inputs()[0])) {
      const bool add = context.accumulate(inputs()[0]) == tensor::Accumulate::kYes;
      tensor::matmul(context.launch(), context.rows(), width_, units_, {dz, units_},
                     {context.weight(kernel_), units_, true}, add ? 1.0f : 0.0f, dx, width_);
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
  /// The gradient of what the activation reads, in the place of that of the output, which nothing
  /// reads after this node.
  const float* productGradient(NodeContext& context) const {
    float* const dy = context.gradient(output());
    float* const dbias = bias_ < 0 ? nullptr : context.parameterGradient(bias_);
    const bool isLinear = activation_ == ActivationOp::kLinear;
    if (isLinear && !dbias) return dy;
    // Neither the product nor the bias is read; for a line y is not, either.
    tensor::biasActivationGradient(context.launch(), activation_, context.rows(), units_, dy,
                                   nullptr, isLinear ? dy : context.value(output()), dy, dy, dbias);
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

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

using tensor::ActivationOp;

class DenseNode final : public Node {
 public:
  DenseNode(const Graph& graph, const std::string& name, Value x, const DenseParameters& parameters,
            ActivationOp activation)
      : Node(graph, name, {x}),
        kernel_(parameters.kernel),
        bias_(parameters.bias),
        activation_(activation) {
    const ParameterSpec& kernel = readsDense(graph, kernel_);
    requireWidth(width(), kernel.rows);
    units_ = kernel.cols;
    if (bias_ >= 0) requireWidth(readsDense(graph, bias_).cols, units_);
  }

  // y [B, N] = act(x [B, K] · W [K, N] + bias [N])
  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpMatmul{.m = slice.rows(),
                                         .n = units_,
                                         .k = width(),
                                         .a = slice.value(inputs()[0]),
                                         .strideA = width(),
                                         .b = slice.weight(kernel_),
                                         .strideB = units_,
                                         .c = slice.value(output()),
                                         .strideC = units_,
                                         .bias = bias_ < 0 ? nullptr : slice.weight(bias_),
                                         .activation = numberOf(activation_)});
  }

  // dz = dy ⊙ act′, which is taken from y ; dbias = Σ_b dz ; dW = xᵀ·dz ; dx = dz·Wᵀ
  void backward(StepSlice& slice) const override {
    const float* dz = productGradient(slice);
    if (float* dw = slice.parameterGradient(kernel_))
      tensor::run(slice.launch(), PpMatmul{.m = width(),
                                           .n = units_,
                                           .k = slice.rows(),
                                           .transposeA = 1,
                                           .a = slice.value(inputs()[0]),
                                           .strideA = width(),
                                           .b = dz,
                                           .strideB = units_,
                                           .c = dw,
                                           .strideC = units_});
    if (float* dx = slice.gradient(inputs()[0])) {
      const bool add = slice.accumulate(inputs()[0]) == tensor::Accumulate::kYes;
      tensor::run(slice.launch(), PpMatmul{.m = slice.rows(),
                                           .n = width(),
                                           .k = units_,
                                           .transposeB = 1,
                                           .a = dz,
                                           .strideA = units_,
                                           .b = slice.weight(kernel_),
                                           .strideB = units_,
                                           .beta = add ? 1.0f : 0.0f,
                                           .c = dx,
                                           .strideC = width()});
    }
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override {
    return value != output() || activation_ != ActivationOp::kLinear;
  }

  std::int64_t cols() const override { return units_; }
  std::int64_t flops() const override {
    return 2 * width() * units_ + (finishes() ? 2 * units_ : 0);
  }
  std::vector<tensor::OpRequest> ops() const override {
    std::vector<tensor::OpRequest> called{{PARAPET_OP(matmul), std::max(width(), units_)}};
    if (finishes()) called.push_back({PARAPET_OP(biasActivationGradient), units_});
    return called;
  }

 private:
  [[nodiscard]] bool finishes() const { return bias_ >= 0 || activation_ != ActivationOp::kLinear; }
  /// The gradient of the activation's input. It overwrites the gradient of the output, which
  /// nothing reads after this node.
  const float* productGradient(StepSlice& slice) const {
    float* const dy = slice.gradient(output());
    float* const dbias = bias_ < 0 ? nullptr : slice.parameterGradient(bias_);
    const bool isLinear = activation_ == ActivationOp::kLinear;
    if (isLinear && !dbias) return dy;
    // Neither the product nor the bias is read; for a line y is not, either.
    tensor::run(slice.launch(), PpBiasActivationGradient{.rows = slice.rows(),
                                                         .width = units_,
                                                         .activation = numberOf(activation_),
                                                         .x = dy,
                                                         .y = isLinear ? dy : slice.value(output()),
                                                         .dy = dy,
                                                         .dx = dy,
                                                         .dbias = dbias});
    return dy;
  }

  ParameterIndex kernel_, bias_;
  ActivationOp activation_;
  std::int64_t units_;
};

}  // namespace

Value matmul(Graph& graph, const std::string& name, Value x, ParameterIndex kernel) {
  return graph.add<DenseNode>(name, x, DenseParameters{kernel}, ActivationOp::kLinear);
}

Value dense(Graph& graph, const std::string& name, Value x, const DenseParameters& parameters,
            ActivationOp activation) {
  if (!tensor::slopesByInput(activation))
    return graph.add<DenseNode>(name, x, parameters, activation);
  const Value product = matmul(graph, name + "/matmul", x, parameters.kernel);
  return biasActivation(graph, name + "/activation", product, parameters.bias, activation);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class BiasActivationNode final : public Node {
 public:
  BiasActivationNode(const Graph& graph, const std::string& name, Value x, ParameterIndex bias,
                     tensor::ActivationOp activation)
      : Node(graph, name, {x}), bias_(bias), activation_(activation) {
    if (bias >= 0) requireWidth(readsDense(graph, bias).cols, width());
  }

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpBiasActivation{.rows = slice.rows(),
                                                 .width = width(),
                                                 .activation = numberOf(activation_),
                                                 .x = slice.value(inputs()[0]),
                                                 .bias = bias(slice),
                                                 .y = slice.value(output())});
  }

  void backward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpBiasActivationGradient{
                                    .rows = slice.rows(),
                                    .width = width(),
                                    .activation = numberOf(activation_),
                                    .x = kept(slice, inputs()[0]),
                                    .bias = bias(slice),
                                    .y = kept(slice, output()),
                                    .dy = slice.gradient(output()),
                                    .dx = slice.gradient(inputs()[0]),
                                    .dbias = bias_ < 0 ? nullptr : slice.parameterGradient(bias_)});
  }
  // The slope is that of the input or of the output; a line has one slope.
  [[nodiscard]] bool backwardReads(Value value) const override {
    return activation_ != tensor::ActivationOp::kLinear &&
           tensor::slopesByInput(activation_) == (value != output());
  }

  std::int64_t flops() const override { return 2 * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(biasActivation), width()}, {PARAPET_OP(biasActivationGradient), width()}};
  }

 private:
  /// A value that backward() reads; for any other, the gradient, which has as many elements.
  const float* kept(StepSlice& slice, Value value) const {
    return backwardReads(value) ? slice.value(value) : slice.gradient(output());
  }
  const float* bias(const StepSlice& slice) const {
    return bias_ < 0 ? nullptr : slice.weight(bias_);
  }
  ParameterIndex bias_;
  tensor::ActivationOp activation_;
};

}  // namespace

Value biasActivation(Graph& graph, const std::string& name, Value x, ParameterIndex bias,
                     tensor::ActivationOp activation) {
  return graph.add<BiasActivationNode>(name, x, bias, activation);
}

}  // namespace parapet::nn

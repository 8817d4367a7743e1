// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class BiasActivationNode final : public Node {
 public:
  BiasActivationNode(std::string name, Value x, ParameterIndex bias,
                     tensor::ActivationOp activation, std::int64_t width, Value output)
      : Node(std::move(name), {x}, output), bias_(bias), activation_(activation), width_(width) {}

  void forward(NodeContext& context) const override {
    tensor::run(context.launch(), PpBiasActivation{.rows = context.rows(),
                                                   .width = width_,
                                                   .activation = numberOf(activation_),
                                                   .x = context.value(inputs()[0]),
                                                   .bias = bias(context),
                                                   .y = context.value(output())});
  }

  void backward(NodeContext& context) const override {
    tensor::run(
        context.launch(),
        PpBiasActivationGradient{.rows = context.rows(),
                                 .width = width_,
                                 .activation = numberOf(activation_),
                                 .x = kept(context, inputs()[0]),
                                 .bias = bias(context),
                                 .y = kept(context, output()),
                                 .dy = context.gradient(output()),
                                 .dx = context.gradient(inputs()[0]),
                                 .dbias = bias_ < 0 ? nullptr : context.parameterGradient(bias_)});
  }
  // The slope is that of the input or of the output; a line has one slope.
  [[nodiscard]] bool backwardReads(Value value) const override {
    using enum tensor::ActivationOp;
    const bool ofInput = activation_ == kGelu || activation_ == kGeluTanh;
    return activation_ != kLinear && ofInput == (value != output());
  }
  std::vector<ParameterIndex> parameters() const override {
    return bias_ < 0 ? std::vector<ParameterIndex>{} : std::vector<ParameterIndex>{bias_};
  }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(biasActivation), width_}, {PARAPET_OP(biasActivationGradient), width_}};
  }

 private:
  /// A value that backward() reads; for any other, the gradient, which has as many elements.
  const float* kept(NodeContext& context, Value value) const {
    return backwardReads(value) ? context.value(value) : context.gradient(output());
  }
  const float* bias(const NodeContext& context) const {
    return bias_ < 0 ? nullptr : context.weight(bias_);
  }
  ParameterIndex bias_;
  tensor::ActivationOp activation_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeBiasActivation(std::string name, Value x, ParameterIndex bias,
                                         tensor::ActivationOp activation, std::int64_t width,
                                         Value output) {
  return std::make_unique<BiasActivationNode>(std::move(name), x, bias, activation, width, output);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class LayerNormNode final : public Node {
 public:
  LayerNormNode(std::string name, Value x, NormParameters parameters, double epsilon,
                std::int64_t width, Value output)
      : Node(std::move(name), {x}, output),
        gamma_(parameters.gamma),
        beta_(parameters.beta),
        epsilon_(static_cast<float>(epsilon)),
        width_(width) {}

  void forward(NodeContext& context) const override {
    tensor::run(context.launch(), PpLayerNorm{.rows = context.rows(),
                                              .width = width_,
                                              .x = context.value(inputs()[0]),
                                              .gamma = context.weight(gamma_),
                                              .beta = context.weight(beta_),
                                              .epsilon = epsilon_,
                                              .y = context.value(output())});
  }
  void backward(NodeContext& context) const override {
    tensor::run(context.launch(), PpLayerNormGradient{.rows = context.rows(),
                                                      .width = width_,
                                                      .x = context.value(inputs()[0]),
                                                      .gamma = context.weight(gamma_),
                                                      .epsilon = epsilon_,
                                                      .dy = context.gradient(output()),
                                                      .dx = context.gradient(inputs()[0]),
                                                      .dgamma = context.parameterGradient(gamma_),
                                                      .dbeta = context.parameterGradient(beta_)});
  }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }
  std::vector<ParameterIndex> parameters() const override { return {gamma_, beta_}; }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(layerNorm), width_}, {PARAPET_OP(layerNormGradient), width_}};
  }

 private:
  ParameterIndex gamma_, beta_;
  float epsilon_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeLayerNorm(std::string name, Value x, NormParameters parameters,
                                    double epsilon, std::int64_t width, Value output) {
  return std::make_unique<LayerNormNode>(std::move(name), x, parameters, epsilon, width, output);
}

}  // namespace parapet::nn

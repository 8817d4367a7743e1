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
    tensor::layerNorm(context.launch(), context.rows(), width_, operands(context),
                      context.value(output()));
  }
  void backward(NodeContext& context) const override {
    tensor::layerNormGradient(context.launch(), context.rows(), width_, operands(context),
                              context.gradient(output()),
                              {context.gradient(inputs()[0]), context.parameterGradient(gamma_),
                               context.parameterGradient(beta_)});
  }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }
  std::vector<ParameterIndex> parameters() const override { return {gamma_, beta_}; }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(layerNorm), width_}, {PARAPET_OP(layerNormGradient), width_}};
  }

 private:
  tensor::NormInputs operands(NodeContext& context) const {
    return {context.value(inputs()[0]), context.weight(gamma_), context.weight(beta_), epsilon_};
  }
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

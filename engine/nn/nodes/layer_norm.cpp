// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

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

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpLayerNorm{.rows = slice.rows(),
                                            .width = width_,
                                            .x = slice.value(inputs()[0]),
                                            .gamma = slice.weight(gamma_),
                                            .beta = slice.weight(beta_),
                                            .epsilon = epsilon_,
                                            .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpLayerNormGradient{.rows = slice.rows(),
                                                    .width = width_,
                                                    .x = slice.value(inputs()[0]),
                                                    .gamma = slice.weight(gamma_),
                                                    .epsilon = epsilon_,
                                                    .dy = slice.gradient(output()),
                                                    .dx = slice.gradient(inputs()[0]),
                                                    .dgamma = slice.parameterGradient(gamma_),
                                                    .dbeta = slice.parameterGradient(beta_)});
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

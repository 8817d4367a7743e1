// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class LayerNormNode final : public Node {
 public:
  LayerNormNode(const Graph& graph, const std::string& name, Value x,
                const NormParameters& parameters, double epsilon)
      : Node(graph, name, {x}),
        gamma_(parameters.gamma),
        beta_(parameters.beta),
        epsilon_(static_cast<float>(epsilon)) {
    for (const ParameterIndex index : {gamma_, beta_})
      requireWidth(readsDense(graph, index).cols, width());
  }

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpLayerNorm{.rows = slice.rows(),
                                            .width = width(),
                                            .x = slice.value(inputs()[0]),
                                            .gamma = slice.weight(gamma_),
                                            .beta = slice.weight(beta_),
                                            .epsilon = epsilon_,
                                            .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpLayerNormGradient{.rows = slice.rows(),
                                                    .width = width(),
                                                    .x = slice.value(inputs()[0]),
                                                    .gamma = slice.weight(gamma_),
                                                    .epsilon = epsilon_,
                                                    .dy = slice.gradient(output()),
                                                    .dx = slice.gradient(inputs()[0]),
                                                    .dgamma = slice.parameterGradient(gamma_),
                                                    .dbeta = slice.parameterGradient(beta_)});
  }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }

  std::int64_t flops() const override { return 8 * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(layerNorm), width()}, {PARAPET_OP(layerNormGradient), width()}};
  }

 private:
  ParameterIndex gamma_, beta_;
  float epsilon_;
};

}  // namespace

Value layerNorm(Graph& graph, const std::string& name, Value x, const NormParameters& parameters,
                double epsilon) {
  return graph.add<LayerNormNode>(name, x, parameters, epsilon);
}

}  // namespace parapet::nn

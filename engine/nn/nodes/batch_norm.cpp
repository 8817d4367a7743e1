// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// Works on the whole batch, so that any number of ranks normalises by the same statistics.
// backward() takes them from x again: a node holds no memory.
class BatchNormNode final : public Node {
 public:
  BatchNormNode(std::string name, Value x, NormParameters parameters, double momentum,
                double epsilon, std::int64_t width, Value output)
      : Node(std::move(name), {x}, output),
        parameters_(parameters),
        momentum_(static_cast<float>(momentum)),
        epsilon_(static_cast<float>(epsilon)),
        width_(width) {}

  void forward(NodeContext& context) const override {
    const auto statistics =
        context.trains() ? tensor::BatchStatistics::kOfBatch : tensor::BatchStatistics::kMoving;
    tensor::batchNorm(
        context.launch(), context.rows(), width_, operands(context), statistics,
        {context.state(parameters_.mean), context.state(parameters_.variance), momentum_},
        context.value(output()));
  }
  void backward(NodeContext& context) const override {
    tensor::batchNormGradient(
        context.launch(), context.rows(), width_, operands(context), context.gradient(output()),
        {context.gradient(inputs()[0]), context.parameterGradient(parameters_.gamma),
         context.parameterGradient(parameters_.beta)});
  }
  NodeScope scope() const override { return NodeScope::kBatch; }
  std::vector<ParameterIndex> parameters() const override {
    return {parameters_.gamma, parameters_.beta, parameters_.mean, parameters_.variance};
  }

 private:
  tensor::NormInputs operands(NodeContext& context) const {
    return {context.value(inputs()[0]), context.weight(parameters_.gamma),
            context.weight(parameters_.beta), epsilon_};
  }
  NormParameters parameters_;
  float momentum_, epsilon_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeBatchNorm(std::string name, Value x, NormParameters parameters,
                                    double momentum, double epsilon, std::int64_t width,
                                    Value output) {
  return std::make_unique<BatchNormNode>(std::move(name), x, parameters, momentum, epsilon, width,
                                         output);
}

}  // namespace parapet::nn

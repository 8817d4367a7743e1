// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class SequenceSoftmaxNode final : public Node {
 public:
  SequenceSoftmaxNode(std::string name, Value x, Value output)
      : Node(std::move(name), {x}, output) {}

  void forward(NodeContext& context) const override {
    tensor::softmaxBySequence(context.launch(), context.sequences(output()).here,
                              context.value(inputs()[0]), context.value(output()));
  }
  void backward(NodeContext& context) const override {
    if (float* dx = context.gradient(inputs()[0]))
      tensor::softmaxBySequenceGradient(context.launch(), context.sequences(output()).here,
                                        context.value(output()), context.gradient(output()), dx);
  }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(softmaxBySequence)}, {PARAPET_OP(softmaxBySequenceGradient)}};
  }
};

}  // namespace

std::unique_ptr<Node> makeSequenceSoftmax(std::string name, Value x, Value output) {
  return std::make_unique<SequenceSoftmaxNode>(std::move(name), x, output);
}

}  // namespace parapet::nn

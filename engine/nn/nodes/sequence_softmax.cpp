// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class SequenceSoftmaxNode final : public Node {
 public:
  SequenceSoftmaxNode(std::string name, Value x, Value output)
      : Node(std::move(name), {x}, output) {}

  void forward(NodeContext& context) const override {
    const tensor::Sequences sequences = context.sequences(output()).here;
    tensor::run(context.launch(), PpSoftmaxBySequence{.sequences = sequences.count,
                                                      .positions = sequences.positions,
                                                      .offsets = sequences.offsets,
                                                      .x = context.value(inputs()[0]),
                                                      .y = context.value(output())});
  }
  void backward(NodeContext& context) const override {
    const tensor::Sequences sequences = context.sequences(output()).here;
    if (float* const dx = context.gradient(inputs()[0]))
      tensor::run(context.launch(), PpSoftmaxBySequenceGradient{.sequences = sequences.count,
                                                                .positions = sequences.positions,
                                                                .offsets = sequences.offsets,
                                                                .y = context.value(output()),
                                                                .dy = context.gradient(output()),
                                                                .dx = dx});
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

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class SequenceSoftmaxNode final : public Node {
 public:
  SequenceSoftmaxNode(std::string name, Value x, Value output)
      : Node(std::move(name), {x}, output) {}

  void forward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(output()).here;
    tensor::run(slice.launch(), PpSoftmaxBySequence{.sequences = sequences.count,
                                                    .positions = sequences.positions,
                                                    .offsets = sequences.offsets,
                                                    .x = slice.value(inputs()[0]),
                                                    .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(output()).here;
    if (float* const dx = slice.gradient(inputs()[0]))
      tensor::run(slice.launch(), PpSoftmaxBySequenceGradient{.sequences = sequences.count,
                                                              .positions = sequences.positions,
                                                              .offsets = sequences.offsets,
                                                              .y = slice.value(output()),
                                                              .dy = slice.gradient(output()),
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

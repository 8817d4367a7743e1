// SPDX-License-Identifier: Apache-2.0
#include "engine/base/hash.h"
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// Of its probabilities, an element is dropped by the step, this node and what it is in the global
// batch, as in the dropout of values.
class AttentionNode final : public Node {
 public:
  AttentionNode(std::string name, Value qkv, const AttentionShape& shape, Value logSumExp,
                Value output)
      : Node(std::move(name), {qkv}, output),
        shape_(shape),
        logSumExp_(logSumExp),
        stream_(hash64(this->name())) {}

  void forward(NodeContext& context) const override {
    const SequenceSlice slice = context.sequences(output());
    tensor::attention(context.launch(), slice.here, settings(context, slice),
                      context.value(inputs()[0]), context.value(output()),
                      context.value(logSumExp_));
  }
  void backward(NodeContext& context) const override {
    float* const dqkv = context.gradient(inputs()[0]);
    if (!dqkv) return;
    const SequenceSlice slice = context.sequences(output());
    tensor::attentionGradient(
        context.launch(), slice.here, settings(context, slice),
        {context.value(inputs()[0]), context.value(output()), context.value(logSumExp_)},
        context.gradient(output()), dqkv);
  }
  std::vector<Value> saved() const override { return {logSumExp_}; }
  [[nodiscard]] std::optional<std::uint64_t> drawStream() const override { return stream_; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(attention), shape_.width}, {PARAPET_OP(attentionGradient), shape_.width}};
  }

 private:
  tensor::AttentionSettings settings(const NodeContext& context, const SequenceSlice& slice) const {
    return {.heads = shape_.heads,
            .width = shape_.width,
            .mask = shape_.causal ? tensor::AttentionMask::kCausal : tensor::AttentionMask::kNone,
            .rate = context.trains() ? shape_.rate : 0.0,
            .key = context.drawKey(),
            .firstSequence = slice.first,
            .maxLength = shape_.maxLength};
  }
  AttentionShape shape_;
  Value logSumExp_;
  std::uint64_t stream_;
};

}  // namespace

std::unique_ptr<Node> makeAttention(std::string name, Value qkv, const AttentionShape& shape,
                                    Value logSumExp, Value output) {
  return std::make_unique<AttentionNode>(std::move(name), qkv, shape, logSumExp, output);
}

}  // namespace parapet::nn

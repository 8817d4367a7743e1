// SPDX-License-Identifier: Apache-2.0
#include "engine/base/hash.h"
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// Dropout of a probability is decided by the step, this node and the position of the element in the
// global batch, as in the dropout of values.
class AttentionNode final : public Node {
 public:
  AttentionNode(std::string name, Value qkv, const AttentionShape& shape, Value logSumExp,
                Value output)
      : Node(std::move(name), {qkv}, output),
        shape_(shape),
        logSumExp_(logSumExp),
        stream_(hash64(this->name())) {}

  void forward(NodeContext& context) const override {
    tensor::run(context.launch(), arguments(context));
  }
  void backward(NodeContext& context) const override {
    if (float* const dqkv = context.gradient(inputs()[0]))
      tensor::run(context.launch(), PpAttentionGradient{.forward = arguments(context),
                                                        .dout = context.gradient(output()),
                                                        .dqkv = dqkv});
  }
  std::vector<Value> saved() const override { return {logSumExp_}; }
  [[nodiscard]] std::optional<std::uint64_t> drawStream() const override { return stream_; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(attention), shape_.width}, {PARAPET_OP(attentionGradient), shape_.width}};
  }

 private:
  [[nodiscard]] PpAttention arguments(NodeContext& context) const {
    const SequenceSlice slice = context.sequences(output());
    const tensor::Dropping dropping = tensor::droppingAt(context.trains() ? shape_.rate : 0.0);
    const tensor::DrawKey key = context.drawKey();
    return {.sequences = slice.here.count,
            .positions = slice.here.positions,
            .heads = shape_.heads,
            .width = shape_.width,
            .offsets = slice.here.offsets,
            .qkv = context.value(inputs()[0]),
            .causal = shape_.causal ? 1 : 0,
            .scale = tensor::attentionScale(shape_.width),
            .key = key.value,
            .first = static_cast<std::uint64_t>(slice.first),
            .maxLength = shape_.maxLength,
            .dropBelow = dropping.below,
            .keptScale = dropping.keptScale,
            .out = context.value(output()),
            .logSumExp = context.value(logSumExp_),
            .keyAt = key.here};
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

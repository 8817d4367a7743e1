// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// Dropout of a probability is decided by the step, this node and the position of the element in the
// global batch, as in the dropout of values.
class AttentionNode final : public Node {
 public:
  AttentionNode(Graph& graph, const std::string& name, Value qkv, const AttentionShape& shape)
      : Node(graph, name, {qkv}), shape_(shape), stream_(hash64(name)) {
    shape_.maxLength = requirePositions(graph, qkv).maxPerExample;
    if (shape.heads < 1 || width() % (3 * shape.heads) != 0)
      refuse(fmt::format("{} heads in a width of {}; a multiple of 3 times the heads is accepted",
                         shape.heads, width()));
    shape_.width = width() / 3 / shape.heads;
    logSumExp_ = graph.addValue(shape.heads, rowSpace());
  }

  void forward(StepSlice& slice) const override { tensor::run(slice.launch(), arguments(slice)); }
  void backward(StepSlice& slice) const override {
    if (float* const dqkv = slice.gradient(inputs()[0]))
      tensor::run(slice.launch(),
                  PpAttentionGradient{
                      .forward = arguments(slice), .dout = slice.gradient(output()), .dqkv = dqkv});
  }
  std::vector<Value> saved() const override { return {logSumExp_}; }
  [[nodiscard]] std::optional<std::uint64_t> drawStream() const override { return stream_; }
  std::int64_t cols() const override { return width() / 3; }
  std::int64_t flops() const override { return 4 * cols() * shape_.maxLength; }
  const AttentionShape* attention() const override { return &shape_; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(attention), shape_.width}, {PARAPET_OP(attentionGradient), shape_.width}};
  }

 private:
  [[nodiscard]] PpAttention arguments(StepSlice& slice) const {
    const SequenceSlice sequences = slice.sequences(output());
    const tensor::Dropping dropping = tensor::droppingAt(slice.trains() ? shape_.rate : 0.0);
    const tensor::DrawKey key = slice.drawKey();
    return {.sequences = sequences.here.count,
            .positions = sequences.here.positions,
            .heads = shape_.heads,
            .width = shape_.width,
            .offsets = sequences.here.offsets,
            .qkv = slice.value(inputs()[0]),
            .causal = shape_.causal ? 1 : 0,
            .scale = tensor::attentionScale(shape_.width),
            .key = key.value,
            .first = static_cast<std::uint64_t>(sequences.first),
            .maxLength = shape_.maxLength,
            .dropBelow = dropping.below,
            .keptScale = dropping.keptScale,
            .out = slice.value(output()),
            .logSumExp = slice.value(logSumExp_),
            .keyAt = key.here};
  }
  AttentionShape shape_;
  Value logSumExp_;  ///< [P, heads]
  std::uint64_t stream_;
};

}  // namespace

Value attention(Graph& graph, const std::string& name, Value qkv, const AttentionShape& shape) {
  return graph.add<AttentionNode>(name, qkv, shape);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class PoolNode final : public Node {
 public:
  /// `inputs`: positions, and of kWeighted their weights [P, 1].
  PoolNode(const Graph& graph, const std::string& name, tensor::PoolOp kind,
           const std::vector<Value>& inputs)
      : Node(graph, name, inputs),
        kind_(kind),
        longest_(requirePositions(graph, inputs[0]).maxPerExample) {
    liesOver(kExamples);
  }

  // out [B, D] = Σ_p c[p]·x[p, :]
  void forward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(inputs()[0]).here;
    tensor::run(slice.launch(), PpPool{.kind = numberOf(kind_),
                                       .sequences = sequences.count,
                                       .positions = sequences.positions,
                                       .width = width(),
                                       .offsets = sequences.offsets,
                                       .x = slice.value(inputs()[0]),
                                       .weights = weights(slice),
                                       .out = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    const Value x = inputs()[0];
    float* const dweights = inputs().size() > 1 ? slice.gradient(inputs()[1]) : nullptr;
    const tensor::Sequences sequences = slice.sequences(x).here;
    tensor::run(slice.launch(), PpPoolGradient{.kind = numberOf(kind_),
                                               .sequences = sequences.count,
                                               .positions = sequences.positions,
                                               .width = width(),
                                               .offsets = sequences.offsets,
                                               .x = slice.value(x),
                                               .weights = weights(slice),
                                               .dout = slice.gradient(output()),
                                               .dx = slice.gradient(x),
                                               .accumulate = numberOf(slice.accumulate(x)),
                                               .dweights = dweights});
  }
  // Gradients of the weights are written: no other node reads the weights.
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }
  std::int64_t flops() const override { return std::ssize(inputs()) * width() * longest_; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(pool), width()}, {PARAPET_OP(poolGradient), width()}};
  }

 private:
  const float* weights(StepSlice& slice) const {
    return inputs().size() > 1 ? slice.value(inputs()[1]) : nullptr;
  }
  tensor::PoolOp kind_;
  std::int64_t longest_;
};

// The last position of a sequence for its example; of a shared sequence the position of each of its
// examples, which is the same segment sum as a pool of examples into positions, the other way round.
class LastNode final : public Node {
 public:
  LastNode(const Graph& graph, const std::string& name, Value x) : Node(graph, name, {x}) {
    requirePositions(graph, x);
    liesOver(kExamples);
  }

  void forward(StepSlice& slice) const override {
    const Value x = inputs()[0];
    float* const out = slice.value(output());
    if (!slice.sharesSequences()) {
      PpPool args = pooling(slice.sequences(x).here, PP_POOL_LAST);
      args.x = slice.value(x);
      args.out = out;
      return tensor::run(slice.launch(), args);
    }
    const tensor::Sequences examples = slice.examplesAt(x);
    PpPoolGradient args = spreading(examples, PP_POOL_SUM);
    args.dout = slice.value(x);
    args.dx = out;
    tensor::run(slice.launch(), args);
    const std::int64_t extra = slice.rows() - examples.positions;
    tensor::run(slice.launch(), PpFill{out + examples.positions * width(), extra * width(), 0.0f});
  }
  void backward(StepSlice& slice) const override {
    const Value x = inputs()[0];
    float* const dx = slice.gradient(x);
    if (!dx) return;
    if (!slice.sharesSequences()) {
      PpPoolGradient args = spreading(slice.sequences(x).here, PP_POOL_LAST);
      args.dout = slice.gradient(output());
      args.dx = dx;
      return tensor::run(slice.launch(), args);
    }
    PpPool args = pooling(slice.examplesAt(x), PP_POOL_SUM);
    args.x = slice.gradient(output());
    args.out = dx;
    tensor::run(slice.launch(), args);
  }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  std::int64_t flops() const override { return width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(pool), width()}, {PARAPET_OP(poolGradient), width()}, {PARAPET_OP(fill)}};
  }

 private:
  [[nodiscard]] PpPool pooling(const tensor::Sequences& of, std::int32_t kind) const {
    return {.kind = kind,
            .sequences = of.count,
            .positions = of.positions,
            .width = width(),
            .offsets = of.offsets,
            .x = nullptr,
            .out = nullptr};
  }
  [[nodiscard]] PpPoolGradient spreading(const tensor::Sequences& of, std::int32_t kind) const {
    return {.kind = kind,
            .sequences = of.count,
            .positions = of.positions,
            .width = width(),
            .offsets = of.offsets,
            .dout = nullptr};
  }
};

class SequenceSoftmaxNode final : public Node {
 public:
  SequenceSoftmaxNode(const Graph& graph, const std::string& name, Value scores)
      : Node(graph, name, {scores}) {
    requirePositions(graph, scores);
    requireWidth(width(), 1);
  }

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
  std::int64_t flops() const override { return 8; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(softmaxBySequence)}, {PARAPET_OP(softmaxBySequenceGradient)}};
  }
};

}  // namespace

Value pool(Graph& graph, const std::string& name, Value x, tensor::PoolOp kind) {
  if (kind == tensor::PoolOp::kLast) return graph.add<LastNode>(name, x);
  return graph.add<PoolNode>(name, kind, std::vector{x});
}

Value weightedPool(Graph& graph, const std::string& name, Value x, Value scores) {
  const Value weights = graph.add<SequenceSoftmaxNode>(name + "/softmax", scores);
  return graph.add<PoolNode>(name + "/pool", tensor::PoolOp::kWeighted, std::vector{x, weights});
}

}  // namespace parapet::nn

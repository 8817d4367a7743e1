// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class PoolNode final : public Node {
 public:
  PoolNode(std::string name, tensor::PoolOp kind, std::vector<Value> inputs, std::int64_t width,
           Value output)
      : Node(std::move(name), std::move(inputs), output), kind_(kind), width_(width) {}

  // out [B, D] = Σ_p c[p]·x[p, :]
  void forward(NodeContext& context) const override {
    const tensor::Sequences sequences = context.sequences(inputs()[0]).here;
    tensor::run(context.launch(), PpPool{.kind = numberOf(kind_),
                                         .sequences = sequences.count,
                                         .positions = sequences.positions,
                                         .width = width_,
                                         .offsets = sequences.offsets,
                                         .x = context.value(inputs()[0]),
                                         .weights = weights(context),
                                         .out = context.value(output())});
  }
  void backward(NodeContext& context) const override {
    const Value x = inputs()[0];
    float* const dweights = inputs().size() > 1 ? context.gradient(inputs()[1]) : nullptr;
    const tensor::Sequences sequences = context.sequences(x).here;
    tensor::run(context.launch(), PpPoolGradient{.kind = numberOf(kind_),
                                                 .sequences = sequences.count,
                                                 .positions = sequences.positions,
                                                 .width = width_,
                                                 .offsets = sequences.offsets,
                                                 .x = context.value(x),
                                                 .weights = weights(context),
                                                 .dout = context.gradient(output()),
                                                 .dx = context.gradient(x),
                                                 .accumulate = numberOf(context.accumulate(x)),
                                                 .dweights = dweights});
  }
  // Gradients of the weights are written: no other node reads the weights (Graph::weightedPool).
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(pool), width_}, {PARAPET_OP(poolGradient), width_}};
  }

 private:
  const float* weights(NodeContext& context) const {
    return inputs().size() > 1 ? context.value(inputs()[1]) : nullptr;
  }
  tensor::PoolOp kind_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makePool(std::string name, tensor::PoolOp kind, std::vector<Value> inputs,
                               std::int64_t width, Value output) {
  return std::make_unique<PoolNode>(std::move(name), kind, std::move(inputs), width, output);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class PoolNode final : public Node {
 public:
  PoolNode(std::string name, tensor::PoolOp kind, std::vector<Value> inputs, std::int64_t width,
           Value output)
      : Node(std::move(name), std::move(inputs), output), kind_(kind), width_(width) {}

  // out [B, D] = Σ_p c[p]·x[p, :]
  void forward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(inputs()[0]).here;
    tensor::run(slice.launch(), PpPool{.kind = numberOf(kind_),
                                       .sequences = sequences.count,
                                       .positions = sequences.positions,
                                       .width = width_,
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
                                               .width = width_,
                                               .offsets = sequences.offsets,
                                               .x = slice.value(x),
                                               .weights = weights(slice),
                                               .dout = slice.gradient(output()),
                                               .dx = slice.gradient(x),
                                               .accumulate = numberOf(slice.accumulate(x)),
                                               .dweights = dweights});
  }
  // Gradients of the weights are written: no other node reads the weights (Graph::weightedPool).
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(pool), width_}, {PARAPET_OP(poolGradient), width_}};
  }

 private:
  const float* weights(StepSlice& slice) const {
    return inputs().size() > 1 ? slice.value(inputs()[1]) : nullptr;
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

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class SpreadNode final : public Node {
 public:
  SpreadNode(const Graph& graph, const std::string& name, Value x, Value like)
      : Node(graph, name, {x}) {
    requireExamples(graph, x);
    requirePositions(graph, like);
    liesOver(graph.rowSpace(like));
  }

  // y [P, D] = x [B, D] of the example of the position; the gradient of a sum over positions is
  // that, and the other way round.
  void forward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(output()).here;
    tensor::run(slice.launch(), PpPoolGradient{.kind = PP_POOL_SUM,
                                               .sequences = sequences.count,
                                               .positions = sequences.positions,
                                               .width = width(),
                                               .offsets = sequences.offsets,
                                               .dout = slice.value(inputs()[0]),
                                               .dx = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(output()).here;
    if (float* const dx = slice.gradient(inputs()[0]))
      tensor::run(slice.launch(), PpPool{.kind = PP_POOL_SUM,
                                         .sequences = sequences.count,
                                         .positions = sequences.positions,
                                         .width = width(),
                                         .offsets = sequences.offsets,
                                         .x = slice.gradient(output()),
                                         .out = dx});
  }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  std::int64_t flops() const override { return width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(pool), width()}, {PARAPET_OP(poolGradient), width()}};
  }
};

}  // namespace

Value spread(Graph& graph, const std::string& name, Value x, Value like) {
  return graph.add<SpreadNode>(name, x, like);
}

}  // namespace parapet::nn

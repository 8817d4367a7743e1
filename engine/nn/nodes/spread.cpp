// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class SpreadNode final : public Node {
 public:
  SpreadNode(std::string name, Value x, std::int64_t width, Value output)
      : Node(std::move(name), {x}, output), width_(width) {}

  // y [P, D] = x [B, D] of the example of the position; the gradient of a sum over positions is
  // that, and the other way round.
  void forward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(output()).here;
    tensor::run(slice.launch(), PpPoolGradient{.kind = PP_POOL_SUM,
                                               .sequences = sequences.count,
                                               .positions = sequences.positions,
                                               .width = width_,
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
                                         .width = width_,
                                         .offsets = sequences.offsets,
                                         .x = slice.gradient(output()),
                                         .out = dx});
  }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(pool), width_}, {PARAPET_OP(poolGradient), width_}};
  }

 private:
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeSpread(std::string name, Value x, std::int64_t width, Value output) {
  return std::make_unique<SpreadNode>(std::move(name), x, width, output);
}

}  // namespace parapet::nn

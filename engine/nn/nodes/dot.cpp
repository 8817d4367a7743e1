// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class DotNode final : public Node {
 public:
  DotNode(std::string name, Value x, Value y, std::int64_t width, Value output)
      : Node(std::move(name), {x, y}, output), width_(width) {}

  void forward(StepSlice& slice) const override {
    const Value x = inputs()[0];
    const tensor::GatheredRows rowsOfX = slice.gathered(x), rowsOfY = slice.gathered(inputs()[1]);
    tensor::run(slice.launch(), PpDotRows{.rows = slice.rows(),
                                          .width = width_,
                                          .x = rowsOfX.data,
                                          .xRows = rowsOfX.rows,
                                          .xTableRows = rowsOfX.tableRows,
                                          .y = rowsOfY.data,
                                          .yRows = rowsOfY.rows,
                                          .yTableRows = rowsOfY.tableRows,
                                          .copyX = rowsOfX.rows ? slice.value(x) : nullptr,
                                          .out = slice.value(output())});
  }

  void backward(StepSlice& slice) const override {
    const Value x = inputs()[0], y = inputs()[1];
    if (!slice.gradient(x) && !slice.gradient(y)) return;
    tensor::run(slice.launch(), PpDotRowsGradient{.rows = slice.rows(),
                                                  .width = width_,
                                                  .x = slice.value(x),
                                                  .y = slice.value(y),
                                                  .dout = slice.gradient(output()),
                                                  .dx = slice.gradient(x),
                                                  .accumulateX = numberOf(slice.accumulate(x)),
                                                  .dy = slice.gradient(y),
                                                  .accumulateY = numberOf(slice.accumulate(y))});
  }
  bool accumulatesGradients() const override { return true; }
  bool readsGatheredRows() const override { return true; }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(dotRows), width_}, {PARAPET_OP(dotRowsGradient), width_}};
  }

 private:
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeDot(std::string name, Value x, Value y, std::int64_t width,
                              Value output) {
  return std::make_unique<DotNode>(std::move(name), x, y, width, output);
}

}  // namespace parapet::nn

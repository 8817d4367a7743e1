// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class DotNode final : public Node {
 public:
  DotNode(std::string name, Value x, Value y, std::int64_t width, Value output)
      : Node(std::move(name), {x, y}, output), width_(width) {}

  void forward(NodeContext& context) const override {
    const Value x = inputs()[0];
    const tensor::GatheredRows rowsOfX = context.gathered(x),
                               rowsOfY = context.gathered(inputs()[1]);
    tensor::run(context.launch(), PpDotRows{.rows = context.rows(),
                                            .width = width_,
                                            .x = rowsOfX.data,
                                            .xRows = rowsOfX.rows,
                                            .xTableRows = rowsOfX.tableRows,
                                            .y = rowsOfY.data,
                                            .yRows = rowsOfY.rows,
                                            .yTableRows = rowsOfY.tableRows,
                                            .copyX = rowsOfX.rows ? context.value(x) : nullptr,
                                            .out = context.value(output())});
  }

  void backward(NodeContext& context) const override {
    const Value x = inputs()[0], y = inputs()[1];
    if (!context.gradient(x) && !context.gradient(y)) return;
    tensor::run(context.launch(),
                PpDotRowsGradient{.rows = context.rows(),
                                  .width = width_,
                                  .x = context.value(x),
                                  .y = context.value(y),
                                  .dout = context.gradient(output()),
                                  .dx = context.gradient(x),
                                  .accumulateX = numberOf(context.accumulate(x)),
                                  .dy = context.gradient(y),
                                  .accumulateY = numberOf(context.accumulate(y))});
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

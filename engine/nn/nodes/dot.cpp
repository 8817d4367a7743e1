// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class DotNode final : public Node {
 public:
  DotNode(const Graph& graph, const std::string& name, Value x, Value y)
      : Node(graph, name, {x, y}) {
    requireEqualWidths(graph);
  }

  void forward(StepSlice& slice) const override {
    const Value x = inputs()[0];
    const tensor::GatheredRows rowsOfX = slice.gathered(x), rowsOfY = slice.gathered(inputs()[1]);
    tensor::run(slice.launch(), PpDotRows{.rows = slice.rows(),
                                          .width = width(),
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
                                                  .width = width(),
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

  std::int64_t cols() const override { return 1; }
  std::int64_t flops() const override { return 2 * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(dotRows), width()}, {PARAPET_OP(dotRowsGradient), width()}};
  }
};

}  // namespace

Value dot(Graph& graph, const std::string& name, Value x, Value y) {
  return graph.add<DotNode>(name, x, y);
}

}  // namespace parapet::nn

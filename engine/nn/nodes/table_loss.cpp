// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// Reads a table as one matrix, so it looks at all rows of a memory space at once: its gradient of
// the table exists once, and not once for every slice. Spaces need nothing of one another; their
// gradients meet with those of other parameters.
class TableLossNode final : public BatchNode {
 public:
  TableLossNode(const Graph& graph, const std::string& name, const experiment::Loss& loss,
                Value hidden, const TableLossInputs& inputs)
      : BatchNode(graph, name, {hidden}),
        inputs_(inputs),
        maxPerExample_(graph.rowSpaces()[at(rowSpace())].maxPerExample) {
    const ParameterSpec& table = readsWhole(graph, inputs.table);
    requireWidth(width(), table.cols);
    tableRows_ = table.rows;
    if (inputs.bias >= 0) requireWidth(readsDense(graph, inputs.bias).rows, tableRows_);
    addsLoss(loss).readsLabels = false;
  }

  void forward(StepSlice& slice) const override {
    if (!slice.trains()) tensor::run(slice.launch(), arguments(slice));
  }
  void backward(StepSlice& slice) const override {
    PpTableSoftmax args = arguments(slice);
    args.gradientScale = slice.lossScale(output());
    args.dHidden = slice.gradient(inputs()[0]);
    args.dTable = gradientOf(slice, inputs_.table, width());
    args.dBias = gradientOf(slice, inputs_.bias, 1);
    tensor::run(slice.launch(), args);
  }
  std::int64_t cols() const override { return 1; }
  std::int64_t flops() const override { return 2 * tableRows_ * width(); }
  std::int64_t scratchElements(std::int64_t rows) const override {
    const auto elements = [&](std::int32_t gradients) {
      return ppTableSoftmaxScratch(rows * maxPerExample_, tableRows_, width(), gradients);
    };
    return std::max(elements(0), elements(1));
  }
  int rounds(Pass, bool) const override { return 1; }
  Meeting round(StepSlice& slice, Pass pass, int) const override {
    if (pass == Pass::kForward) forward(slice);
    if (pass == Pass::kBackward) backward(slice);
    return {};
  }
  std::int64_t meetingElements(std::int64_t rows, std::int64_t) const override {
    return scratchElements(rows);
  }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(tableSoftmax), width()}, {PARAPET_OP(fill)}};
  }

 private:
  [[nodiscard]] PpTableSoftmax arguments(StepSlice& slice) const {
    return {.rows = slice.rows(),
            .tableRows = tableRows_,
            .width = width(),
            .hidden = slice.value(inputs()[0]),
            .table = slice.weight(inputs_.table),
            .bias = inputs_.bias < 0 ? nullptr : slice.weight(inputs_.bias),
            .labels = slice.idsHere(inputs_.labels),
            .scratch = slice.scratch(),
            .sums = slice.lossSums(output())};
  }
  // The op adds to it.
  float* gradientOf(StepSlice& slice, ParameterIndex index, std::int64_t columns) const {
    float* const gradient = index < 0 ? nullptr : slice.parameterGradient(index);
    if (gradient) tensor::run(slice.launch(), PpFill{gradient, tableRows_ * columns, 0.0f});
    return gradient;
  }
  TableLossInputs inputs_;
  std::int64_t tableRows_, maxPerExample_;
};

}  // namespace

Value tableLoss(Graph& graph, const std::string& name, const experiment::Loss& loss, Value hidden,
                const TableLossInputs& inputs) {
  return graph.add<TableLossNode>(name, loss, hidden, inputs);
}

}  // namespace parapet::nn

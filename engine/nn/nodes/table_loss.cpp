// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// Reads a table as one matrix, so it looks at all rows of a memory space at once: its gradient of
// the table exists once, and not once for every slice. Spaces need nothing of one another; their
// gradients meet with those of other parameters.
class TableLossNode final : public Node {
 public:
  TableLossNode(std::string name, Value hidden, const TableLossInputs& inputs,
                const TableLossShape& shape, Value output)
      : Node(std::move(name), {hidden}, output), inputs_(inputs), shape_(shape) {}

  NodeScope scope() const override { return NodeScope::kBatch; }
  void forward(StepSlice& slice) const override {
    if (!slice.trains()) tensor::run(slice.launch(), arguments(slice));
  }
  void backward(StepSlice& slice) const override {
    PpTableSoftmax args = arguments(slice);
    args.gradientScale = slice.lossScale(output());
    args.dHidden = slice.gradient(inputs()[0]);
    args.dTable = gradientOf(slice, inputs_.table, shape_.width);
    args.dBias = gradientOf(slice, inputs_.bias, 1);
    tensor::run(slice.launch(), args);
  }
  bool isLoss() const override { return true; }
  std::int64_t scratchElements(std::int64_t rows) const override {
    const auto elements = [&](std::int32_t gradients) {
      return ppTableSoftmaxScratch(rows * shape_.maxPerExample, shape_.tableRows, shape_.width,
                                   gradients);
    };
    return std::max(elements(0), elements(1));
  }
  int rounds(const StepSlice&, Pass) const override { return 1; }
  Meeting round(StepSlice& slice, Pass pass, int) const override {
    if (pass == Pass::kForward) forward(slice);
    if (pass == Pass::kBackward) backward(slice);
    return {};
  }
  std::int64_t meetingElements(std::int64_t rows, std::int64_t) const override {
    return scratchElements(rows);
  }
  std::vector<ParameterIndex> parameters() const override {
    return inputs_.bias < 0 ? std::vector{inputs_.table} : std::vector{inputs_.table, inputs_.bias};
  }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(tableSoftmax), shape_.width}, {PARAPET_OP(fill)}};
  }

 private:
  [[nodiscard]] PpTableSoftmax arguments(StepSlice& slice) const {
    return {.rows = slice.rows(),
            .tableRows = shape_.tableRows,
            .width = shape_.width,
            .hidden = slice.value(inputs()[0]),
            .table = slice.weight(inputs_.table),
            .bias = inputs_.bias < 0 ? nullptr : slice.weight(inputs_.bias),
            .labels = slice.idsHere(inputs_.labels),
            .scratch = slice.scratch(),
            .sums = slice.lossSums(output())};
  }
  // The op adds to it.
  float* gradientOf(StepSlice& slice, ParameterIndex index, std::int64_t width) const {
    float* const gradient = index < 0 ? nullptr : slice.parameterGradient(index);
    if (gradient) tensor::run(slice.launch(), PpFill{gradient, shape_.tableRows * width, 0.0f});
    return gradient;
  }
  TableLossInputs inputs_;
  TableLossShape shape_;
};

}  // namespace

std::unique_ptr<Node> makeTableLoss(std::string name, Value hidden, const TableLossInputs& inputs,
                                    const TableLossShape& shape, Value output) {
  return std::make_unique<TableLossNode>(std::move(name), hidden, inputs, shape, output);
}

}  // namespace parapet::nn

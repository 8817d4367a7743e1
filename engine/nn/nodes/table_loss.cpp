// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/nn/nodes/nodes.h"

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
  void forward(NodeContext& context) const override {
    if (!context.trains()) tensor::run(context.launch(), arguments(context));
  }
  void backward(NodeContext& context) const override {
    PpTableSoftmax args = arguments(context);
    args.gradientScale = context.lossScale(output());
    args.dHidden = context.gradient(inputs()[0]);
    args.dTable = gradientOf(context, inputs_.table, shape_.width);
    args.dBias = gradientOf(context, inputs_.bias, 1);
    tensor::run(context.launch(), args);
  }
  bool isLoss() const override { return true; }
  std::int64_t scratchElements(std::int64_t rows) const override {
    const auto elements = [&](std::int32_t gradients) {
      return ppTableSoftmaxScratch(rows * shape_.maxPerExample, shape_.tableRows, shape_.width,
                                   gradients);
    };
    return std::max(elements(0), elements(1));
  }
  int rounds(const NodeContext&, Pass) const override { return 1; }
  Meeting round(NodeContext& context, Pass pass, int) const override {
    if (pass == Pass::kForward) forward(context);
    if (pass == Pass::kBackward) backward(context);
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
  [[nodiscard]] PpTableSoftmax arguments(NodeContext& context) const {
    return {.rows = context.rows(),
            .tableRows = shape_.tableRows,
            .width = shape_.width,
            .hidden = context.value(inputs()[0]),
            .table = context.weight(inputs_.table),
            .bias = inputs_.bias < 0 ? nullptr : context.weight(inputs_.bias),
            .labels = context.idsHere(inputs_.labels),
            .scratch = context.scratch(),
            .sums = context.lossSums(output())};
  }
  // The op adds to it.
  float* gradientOf(NodeContext& context, ParameterIndex index, std::int64_t width) const {
    float* const gradient = index < 0 ? nullptr : context.parameterGradient(index);
    if (gradient) tensor::run(context.launch(), PpFill{gradient, shape_.tableRows * width, 0.0f});
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

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

using tensor::TableSoftmaxPass;

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
    if (!context.trains())
      tensor::tableSoftmax(context.launch(), logits(context), 0.0f, context.scratch(), {},
                           sums(context));
  }
  void backward(NodeContext& context) const override {
    const tensor::TableGradients gradients{context.gradient(inputs()[0]),
                                           gradientOf(context, inputs_.table, shape_.width),
                                           gradientOf(context, inputs_.bias, 1)};
    tensor::tableSoftmax(context.launch(), logits(context), context.lossScale(output()),
                         context.scratch(), gradients, sums(context));
  }
  bool isLoss() const override { return true; }
  std::int64_t scratchElements(std::int64_t rows) const override {
    const auto elements = [&](TableSoftmaxPass pass) {
      return tensor::tableSoftmaxScratch(rows * shape_.maxPerExample, shape_.tableRows,
                                         shape_.width, pass);
    };
    return std::max(elements(TableSoftmaxPass::kForward), elements(TableSoftmaxPass::kGradients));
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
  tensor::TableLogits logits(NodeContext& context) const {
    return {.rows = context.rows(),
            .tableRows = shape_.tableRows,
            .width = shape_.width,
            .hidden = context.value(inputs()[0]),
            .table = context.weight(inputs_.table),
            .bias = inputs_.bias < 0 ? nullptr : context.weight(inputs_.bias),
            .labels = context.idsHere(inputs_.labels)};
  }
  double* sums(NodeContext& context) const { return context.lossSums(output()); }
  // The op adds to it.
  float* gradientOf(NodeContext& context, ParameterIndex index, std::int64_t width) const {
    float* const gradient = index < 0 ? nullptr : context.parameterGradient(index);
    if (gradient) tensor::fill(context.launch(), gradient, shape_.tableRows * width, 0.0f);
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

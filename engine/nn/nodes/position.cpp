// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class PositionNode final : public Node {
 public:
  PositionNode(std::string name, Value x, ParameterIndex table, std::int64_t tableRows,
               std::int64_t width, Value output)
      : Node(std::move(name), {x}, output), table_(table), tableRows_(tableRows), width_(width) {}

  // y [P, D] = x [P, D] + table[position in its sequence]
  void forward(NodeContext& context) const override {
    tensor::addPositions(context.launch(), context.sequences(output()).here, width_,
                         context.value(inputs()[0]), context.weight(table_), tableRows_,
                         context.value(output()));
  }
  void backward(NodeContext& context) const override {
    const float* dy = context.gradient(output());
    if (float* dtable = context.parameterGradient(table_))
      tensor::addPositionsGradient(context.launch(), context.sequences(output()).here, width_, dy,
                                   tableRows_, dtable);
    if (float* dx = context.gradient(inputs()[0]))
      tensor::copyColumns(context.launch(), context.rows(), width_, dy, width_, dx, width_,
                          context.accumulate(inputs()[0]));
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  std::vector<ParameterIndex> parameters() const override { return {table_}; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(addPositions), width_},
            {PARAPET_OP(addPositionsGradient), width_},
            {PARAPET_OP(copyColumns), width_}};
  }

 private:
  ParameterIndex table_;
  std::int64_t tableRows_, width_;
};

}  // namespace

std::unique_ptr<Node> makePosition(std::string name, Value x, ParameterIndex table,
                                   std::int64_t tableRows, std::int64_t width, Value output) {
  return std::make_unique<PositionNode>(std::move(name), x, table, tableRows, width, output);
}

}  // namespace parapet::nn

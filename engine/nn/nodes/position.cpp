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
    const tensor::Sequences sequences = context.sequences(output()).here;
    tensor::run(context.launch(), PpAddPositions{.sequences = sequences.count,
                                                 .positions = sequences.positions,
                                                 .width = width_,
                                                 .tableRows = tableRows_,
                                                 .offsets = sequences.offsets,
                                                 .x = context.value(inputs()[0]),
                                                 .table = context.weight(table_),
                                                 .y = context.value(output())});
  }
  void backward(NodeContext& context) const override {
    const float* dy = context.gradient(output());
    const tensor::Sequences sequences = context.sequences(output()).here;
    if (float* const dtable = context.parameterGradient(table_))
      tensor::run(context.launch(), PpAddPositionsGradient{.sequences = sequences.count,
                                                           .positions = sequences.positions,
                                                           .width = width_,
                                                           .tableRows = tableRows_,
                                                           .offsets = sequences.offsets,
                                                           .dy = dy,
                                                           .dtable = dtable});
    if (float* dx = context.gradient(inputs()[0]))
      tensor::run(context.launch(),
                  PpCopyColumns{.rows = context.rows(),
                                .width = width_,
                                .in = dy,
                                .strideIn = width_,
                                .out = dx,
                                .strideOut = width_,
                                .accumulate = numberOf(context.accumulate(inputs()[0]))});
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

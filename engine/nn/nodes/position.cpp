// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class PositionNode final : public Node {
 public:
  PositionNode(std::string name, Value x, ParameterIndex table, std::int64_t tableRows,
               std::int64_t width, Value output)
      : Node(std::move(name), {x}, output), table_(table), tableRows_(tableRows), width_(width) {}

  // y [P, D] = x [P, D] + table[position in its sequence]
  void forward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(output()).here;
    tensor::run(slice.launch(), PpAddPositions{.sequences = sequences.count,
                                               .positions = sequences.positions,
                                               .width = width_,
                                               .tableRows = tableRows_,
                                               .offsets = sequences.offsets,
                                               .x = slice.value(inputs()[0]),
                                               .table = slice.weight(table_),
                                               .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    const float* dy = slice.gradient(output());
    const tensor::Sequences sequences = slice.sequences(output()).here;
    if (float* const dtable = slice.parameterGradient(table_))
      tensor::run(slice.launch(), PpAddPositionsGradient{.sequences = sequences.count,
                                                         .positions = sequences.positions,
                                                         .width = width_,
                                                         .tableRows = tableRows_,
                                                         .offsets = sequences.offsets,
                                                         .dy = dy,
                                                         .dtable = dtable});
    if (float* dx = slice.gradient(inputs()[0]))
      tensor::run(slice.launch(),
                  PpCopyColumns{.rows = slice.rows(),
                                .width = width_,
                                .in = dy,
                                .strideIn = width_,
                                .out = dx,
                                .strideOut = width_,
                                .accumulate = numberOf(slice.accumulate(inputs()[0]))});
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

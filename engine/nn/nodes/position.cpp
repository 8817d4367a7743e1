// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class PositionNode final : public Node {
 public:
  PositionNode(const Graph& graph, const std::string& name, Value x, ParameterIndex table,
               experiment::CountFrom from)
      : Node(graph, name, {x}), table_(table), fromEnd_(from == experiment::CountFrom::kEnd) {
    const std::int64_t longest = requirePositions(graph, x).maxPerExample;
    const ParameterSpec& spec = readsDense(graph, table);
    requireWidth(spec.cols, width());
    tableRows_ = spec.rows;
    if (spec.rows < longest)
      refuse(
          fmt::format("{} has {} rows; at least {} are accepted", spec.name, spec.rows, longest));
  }

  // y [P, D] = x [P, D] + table[position in its sequence, counted from either end]
  void forward(StepSlice& slice) const override {
    const tensor::Sequences sequences = slice.sequences(output()).here;
    tensor::run(slice.launch(), PpAddPositions{.sequences = sequences.count,
                                               .positions = sequences.positions,
                                               .width = width(),
                                               .tableRows = tableRows_,
                                               .fromEnd = fromEnd_,
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
                                                         .width = width(),
                                                         .tableRows = tableRows_,
                                                         .fromEnd = fromEnd_,
                                                         .offsets = sequences.offsets,
                                                         .dy = dy,
                                                         .dtable = dtable});
    if (float* dx = slice.gradient(inputs()[0]))
      tensor::run(slice.launch(),
                  PpCopyColumns{.rows = slice.rows(),
                                .width = width(),
                                .in = dy,
                                .strideIn = width(),
                                .out = dx,
                                .strideOut = width(),
                                .accumulate = numberOf(slice.accumulate(inputs()[0]))});
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  std::int64_t flops() const override { return width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(addPositions), width()},
            {PARAPET_OP(addPositionsGradient), width()},
            {PARAPET_OP(copyColumns), width()}};
  }

 private:
  ParameterIndex table_;
  std::int64_t tableRows_;
  std::int32_t fromEnd_;
};

}  // namespace

Value position(Graph& graph, const std::string& name, Value x, ParameterIndex table,
               experiment::CountFrom from) {
  return graph.add<PositionNode>(name, x, table, from);
}

}  // namespace parapet::nn

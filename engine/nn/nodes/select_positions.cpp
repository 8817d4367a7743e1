// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// out [M, D] = the rows of x [P, D] that a feature names by their position in the buffer of x; all
// that a slice names are its own.
class SelectPositionsNode final : public Node {
 public:
  SelectPositionsNode(Graph& graph, const std::string& name, Value x, std::int32_t feature,
                      std::int64_t maxPerExample)
      : Node(graph, name, {x}), feature_(feature) {
    liesOver(graph.addRowSpace({.feature = feature,
                                .maxPerExample = maxPerExample,
                                .positionsOf = requirePositions(graph, x).feature}));
  }

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpGatherRows{.table = slice.value(inputs()[0]) - skipped(slice),
                                             .tableRows = positions(slice),
                                             .width = width(),
                                             .rows = slice.idsHere(feature_),
                                             .count = slice.rows(),
                                             .out = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    const Value x = inputs()[0];
    float* const dx = slice.gradient(x);
    if (!dx) return;
    if (slice.accumulate(x) == tensor::Accumulate::kNo)
      tensor::run(slice.launch(), PpFill{dx, slice.rows(x) * width(), 0.0f});
    tensor::run(slice.launch(), PpScatterRows{.outRows = positions(slice),
                                              .width = width(),
                                              .rows = slice.idsHere(feature_),
                                              .count = slice.rows(),
                                              .in = slice.gradient(output()),
                                              .accumulate = 1,
                                              .out = dx - skipped(slice)});
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  std::int64_t flops() const override { return width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {
        {PARAPET_OP(gatherRows), width()}, {PARAPET_OP(scatterRows), width()}, {PARAPET_OP(fill)}};
  }

 private:
  /// Rows of the buffer up to the last one of the slice, and elements of those before its first.
  std::int64_t positions(StepSlice& slice) const {
    return slice.firstInBuffer(inputs()[0]) + slice.rows(inputs()[0]);
  }
  std::int64_t skipped(StepSlice& slice) const {
    return slice.firstInBuffer(inputs()[0]) * width();
  }

  std::int32_t feature_;
};

}  // namespace

Value selectPositions(Graph& graph, const std::string& name, Value x, std::int32_t feature,
                      std::int64_t maxPerExample) {
  return graph.add<SelectPositionsNode>(name, x, feature, maxPerExample);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class LookupNode final : public Node {
 public:
  LookupNode(std::string name, ParameterIndex table, std::int32_t feature, std::int64_t width,
             Value output)
      : Node(std::move(name), {}, output), table_(table), feature_(feature), width_(width) {}

  void forward(StepSlice& slice) const override {
    const LookupView view = slice.lookup(table_, feature_);
    float* out = slice.value(output());
    if (!view.offsets && !view.scales)
      tensor::run(slice.launch(), PpGatherRows{.table = view.table,
                                               .tableRows = view.tableRows,
                                               .width = width_,
                                               .rows = view.ids.data(),
                                               .count = std::ssize(view.ids),
                                               .out = out});
    else
      tensor::run(slice.launch(), PpBagRows{.table = view.table,
                                            .tableRows = view.tableRows,
                                            .width = width_,
                                            .rows = view.ids.data(),
                                            .offsets = view.offsets,
                                            .scales = view.scales,
                                            .bags = slice.rows(),
                                            .out = out});
  }
  // The gradient of the output, row by row, is the table's gradient; the plan merges it by id.
  void backward(StepSlice&) const override {}
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  std::vector<ParameterIndex> parameters() const override { return {table_}; }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(gatherRows), width_}, {PARAPET_OP(bagRows), width_}};
  }

 private:
  ParameterIndex table_;
  std::int32_t feature_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeLookup(std::string name, ParameterIndex table, std::int32_t feature,
                                 std::int64_t width, Value output) {
  return std::make_unique<LookupNode>(std::move(name), table, feature, width, output);
}

}  // namespace parapet::nn

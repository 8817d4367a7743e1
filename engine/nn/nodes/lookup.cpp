// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class LookupNode final : public Node {
 public:
  LookupNode(std::string name, ParameterIndex table, std::int32_t feature, Value output)
      : Node(std::move(name), {}, output), table_(table), feature_(feature) {}

  void forward(NodeContext& context) const override {
    const Parameter& table = context.parameter(table_);
    tensor::gatherRows(context.launch(), table.weight.data(), table.spec.rows, table.spec.cols,
                       context.ids(feature_), context.value(output()));
  }
  // The gradient of the output, row by row, is the table's gradient; the plan merges it by id.
  void backward(NodeContext&) const override {}
  std::vector<ParameterIndex> parameters() const override { return {table_}; }

 private:
  ParameterIndex table_;
  std::int32_t feature_;
};

}  // namespace

std::unique_ptr<Node> makeLookup(std::string name, ParameterIndex table, std::int32_t feature,
                                 Value output) {
  return std::make_unique<LookupNode>(std::move(name), table, feature, output);
}

}  // namespace parapet::nn

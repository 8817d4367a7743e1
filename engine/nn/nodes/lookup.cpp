// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class LookupNode final : public Node {
 public:
  LookupNode(Graph& graph, const std::string& name, const Lookup& spec) : Node(name), spec_(spec) {
    width_ = readsTable(graph, spec.table).cols;
    if (spec.sequence)
      liesOver(graph.addRowSpace({.feature = spec.feature,
                                  .maxPerExample = spec.maxLength,
                                  .lookup = static_cast<int>(graph.lookups().size())}));
  }

  void forward(StepSlice& slice) const override {
    const LookupView view = slice.lookup(spec_.table, spec_.feature);
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

  std::int64_t cols() const override { return width_; }
  std::int64_t flops() const override { return width_; }
  const Lookup* lookup() const override { return &spec_; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(gatherRows), width_}, {PARAPET_OP(bagRows), width_}};
  }

 private:
  Lookup spec_;
  std::int64_t width_;
};

}  // namespace

Value lookup(Graph& graph, const std::string& name, const Lookup& spec) {
  return graph.add<LookupNode>(name, spec);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// The first cross of a run has x0 = x: one input then, whose gradient has both contributions.
class CrossNode final : public Node {
 public:
  CrossNode(const Graph& graph, const std::string& name, Value x0, Value x, Value u,
            double diagScale)
      : Node(graph, name, x0 == x ? std::vector{x, u} : std::vector{x0, x, u}),
        x0_(x0),
        x_(x),
        u_(u),
        diagScale_(static_cast<float>(diagScale)) {
    requireEqualWidths(graph);
  }

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpCross{.rows = slice.rows(),
                                        .width = width(),
                                        .x0 = slice.value(x0_),
                                        .x = slice.value(x_),
                                        .u = slice.value(u_),
                                        .diagScale = diagScale_,
                                        .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpCrossGradient{.rows = slice.rows(),
                                                .width = width(),
                                                .x0 = slice.value(x0_),
                                                .x = slice.value(x_),
                                                .u = slice.value(u_),
                                                .diagScale = diagScale_,
                                                .dy = slice.gradient(output()),
                                                .dx0 = slice.gradient(x0_),
                                                .accumulateX0 = numberOf(slice.accumulate(x0_)),
                                                .dx = slice.gradient(x_),
                                                .accumulateX = numberOf(slice.accumulate(x_)),
                                                .du = slice.gradient(u_)});
  }
  // The gradient of u is written: u is made for this cross, and nothing else reads it.
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }

  std::int64_t flops() const override { return 4 * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(cross), width()}, {PARAPET_OP(crossGradient), width()}};
  }

 private:
  Value x0_, x_, u_;
  float diagScale_;
};

}  // namespace

Value cross(Graph& graph, const std::string& name, Value x0, Value x, Value u, double diagScale) {
  return graph.add<CrossNode>(name, x0, x, u, diagScale);
}

}  // namespace parapet::nn

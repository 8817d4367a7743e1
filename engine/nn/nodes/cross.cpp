// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// The first cross of a run has x0 = x: one input then, whose gradient has both contributions.
class CrossNode final : public Node {
 public:
  CrossNode(std::string name, std::vector<Value> inputs, Value x0, Value x, Value u,
            double diagScale, std::int64_t width, Value output)
      : Node(std::move(name), std::move(inputs), output),
        x0_(x0),
        x_(x),
        u_(u),
        diagScale_(static_cast<float>(diagScale)),
        width_(width) {}

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpCross{.rows = slice.rows(),
                                        .width = width_,
                                        .x0 = slice.value(x0_),
                                        .x = slice.value(x_),
                                        .u = slice.value(u_),
                                        .diagScale = diagScale_,
                                        .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpCrossGradient{.rows = slice.rows(),
                                                .width = width_,
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

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(cross), width_}, {PARAPET_OP(crossGradient), width_}};
  }

 private:
  Value x0_, x_, u_;
  float diagScale_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeCross(std::string name, Value x0, Value x, Value u, double diagScale,
                                std::int64_t width, Value output) {
  std::vector<Value> inputs = x0 == x ? std::vector<Value>{x, u} : std::vector<Value>{x0, x, u};
  return std::make_unique<CrossNode>(std::move(name), std::move(inputs), x0, x, u, diagScale, width,
                                     output);
}

}  // namespace parapet::nn

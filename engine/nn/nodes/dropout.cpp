// SPDX-License-Identifier: Apache-2.0
#include "engine/base/hash.h"
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// The mask of an element depends on the step, this node and the element's position in the global
// batch, so neither the ranks nor a second pass in backward() change it.
class DropoutNode final : public Node {
 public:
  DropoutNode(const Graph& graph, const std::string& name, Value x, double rate)
      : Node(graph, name, {x}), rate_(rate), stream_(hash64(name)) {}

  void forward(StepSlice& slice) const override {
    const float* x = slice.value(inputs()[0]);
    float* y = slice.value(output());
    if (slice.trains())
      drop(slice, x, y);
    else
      tensor::run(slice.launch(), PpCopyColumns{.rows = slice.rows(),
                                                .width = width(),
                                                .in = x,
                                                .strideIn = width(),
                                                .out = y,
                                                .strideOut = width()});
  }
  void backward(StepSlice& slice) const override {
    if (float* dx = slice.gradient(inputs()[0])) drop(slice, slice.gradient(output()), dx);
  }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> drawStream() const override { return stream_; }

  std::int64_t flops() const override { return 8 * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(dropout), width()}, {PARAPET_OP(copyColumns), width()}};
  }

 private:
  void drop(StepSlice& slice, const float* in, float* out) const {
    const tensor::Dropping dropping = tensor::droppingAt(rate_);
    const tensor::DrawKey key = slice.drawKey();
    tensor::run(slice.launch(),
                PpDropout{.count = slice.rows() * width(),
                          .x = in,
                          .key = key.value,
                          .first = static_cast<std::uint64_t>(slice.firstRow() * width()),
                          .dropBelow = dropping.below,
                          .scale = dropping.keptScale,
                          .y = out,
                          .keyAt = key.here});
  }
  double rate_;
  std::uint64_t stream_;
};

}  // namespace

Value dropout(Graph& graph, const std::string& name, Value x, double rate) {
  return graph.add<DropoutNode>(name, x, rate);
}

}  // namespace parapet::nn

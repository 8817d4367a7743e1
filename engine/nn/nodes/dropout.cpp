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
  DropoutNode(std::string name, Value x, double rate, std::int64_t width, Value output)
      : Node(std::move(name), {x}, output),
        rate_(rate),
        width_(width),
        stream_(hash64(this->name())) {}

  void forward(StepSlice& slice) const override {
    const float* x = slice.value(inputs()[0]);
    float* y = slice.value(output());
    if (slice.trains())
      drop(slice, x, y);
    else
      tensor::run(slice.launch(), PpCopyColumns{.rows = slice.rows(),
                                                .width = width_,
                                                .in = x,
                                                .strideIn = width_,
                                                .out = y,
                                                .strideOut = width_});
  }
  void backward(StepSlice& slice) const override {
    if (float* dx = slice.gradient(inputs()[0])) drop(slice, slice.gradient(output()), dx);
  }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> drawStream() const override { return stream_; }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(dropout), width_}, {PARAPET_OP(copyColumns), width_}};
  }

 private:
  void drop(StepSlice& slice, const float* in, float* out) const {
    const tensor::Dropping dropping = tensor::droppingAt(rate_);
    const tensor::DrawKey key = slice.drawKey();
    tensor::run(slice.launch(),
                PpDropout{.count = slice.rows() * width_,
                          .x = in,
                          .key = key.value,
                          .first = static_cast<std::uint64_t>(slice.firstRow() * width_),
                          .dropBelow = dropping.below,
                          .scale = dropping.keptScale,
                          .y = out,
                          .keyAt = key.here});
  }
  double rate_;
  std::int64_t width_;
  std::uint64_t stream_;
};

}  // namespace

std::unique_ptr<Node> makeDropout(std::string name, Value x, double rate, std::int64_t width,
                                  Value output) {
  return std::make_unique<DropoutNode>(std::move(name), x, rate, width, output);
}

}  // namespace parapet::nn

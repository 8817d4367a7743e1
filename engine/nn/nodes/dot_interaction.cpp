// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/base/result.h"
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// Pointers to all parts are on the stack for the time of a call: a step allocates nothing.
constexpr std::size_t kMaxParts = 512;

class DotInteractionNode final : public Node {
 public:
  DotInteractionNode(std::string name, std::vector<Value> parts, std::int64_t width,
                     tensor::SelfInteraction self, Value output)
      : Node(std::move(name), std::move(parts), output), width_(width), self_(self) {}

  void forward(StepSlice& slice) const override {
    const Operands parts = operands(slice);
    tensor::run(slice.launch(), PpDotInteraction{.rows = slice.rows(),
                                                 .width = width_,
                                                 .parts = static_cast<std::int32_t>(count()),
                                                 .self = numberOf(self_),
                                                 .in = parts.data(),
                                                 .out = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    const Operands parts = operands(slice);
    std::array<float*, kMaxParts> gradients;
    std::array<std::int32_t, kMaxParts> accumulate;
    for (std::size_t i = 0; i < count(); ++i) {
      gradients[i] = slice.gradient(inputs()[i]);
      accumulate[i] = numberOf(slice.accumulate(inputs()[i]));
    }
    tensor::run(slice.launch(),
                PpDotInteractionGradient{.rows = slice.rows(),
                                         .width = width_,
                                         .parts = static_cast<std::int32_t>(count()),
                                         .self = numberOf(self_),
                                         .in = parts.data(),
                                         .dout = slice.gradient(output()),
                                         .dIn = gradients.data(),
                                         .accumulate = accumulate.data()});
  }
  bool accumulatesGradients() const override { return true; }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(dotInteraction), width_}, {PARAPET_OP(dotInteractionGradient), width_}};
  }

 private:
  using Operands = std::array<const float*, kMaxParts>;
  [[nodiscard]] std::size_t count() const { return inputs().size(); }
  Operands operands(StepSlice& slice) const {
    Operands parts;
    for (std::size_t i = 0; i < count(); ++i) parts[i] = slice.value(inputs()[i]);
    return parts;
  }
  std::int64_t width_;
  tensor::SelfInteraction self_;
};

}  // namespace

std::unique_ptr<Node> makeDotInteraction(std::string name, std::vector<Value> parts,
                                         std::int64_t width, tensor::SelfInteraction self,
                                         Value output) {
  if (parts.size() > kMaxParts)
    throw InvalidArgument(
        fmt::format("[nn.makeDotInteraction] {} has {} parts; up to {} are accepted", name,
                    parts.size(), kMaxParts));
  return std::make_unique<DotInteractionNode>(std::move(name), std::move(parts), width, self,
                                              output);
}

}  // namespace parapet::nn

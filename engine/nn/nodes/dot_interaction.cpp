// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// Pointers to all parts are on the stack for the time of a call: a step allocates nothing.
constexpr std::size_t kMaxParts = 512;

class DotInteractionNode final : public Node {
 public:
  DotInteractionNode(const Graph& graph, const std::string& name, const std::vector<Value>& parts,
                     tensor::SelfInteraction self)
      : Node(graph, name, parts), self_(self) {
    requireEqualWidths(graph);
    if (count() > kMaxParts)
      refuse(fmt::format("{} parts; up to {} are accepted", count(), kMaxParts));
  }

  void forward(StepSlice& slice) const override {
    const Operands parts = operands(slice);
    tensor::run(slice.launch(), PpDotInteraction{.rows = slice.rows(),
                                                 .width = width(),
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
                                         .width = width(),
                                         .parts = static_cast<std::int32_t>(count()),
                                         .self = numberOf(self_),
                                         .in = parts.data(),
                                         .dout = slice.gradient(output()),
                                         .dIn = gradients.data(),
                                         .accumulate = accumulate.data()});
  }
  bool accumulatesGradients() const override { return true; }

  std::int64_t cols() const override {
    return tensor::interactionWidth(std::ssize(inputs()), self_);
  }
  std::int64_t flops() const override { return 2 * cols() * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(dotInteraction), width()}, {PARAPET_OP(dotInteractionGradient), width()}};
  }

 private:
  using Operands = std::array<const float*, kMaxParts>;
  [[nodiscard]] std::size_t count() const { return inputs().size(); }
  Operands operands(StepSlice& slice) const {
    Operands parts;
    for (std::size_t i = 0; i < count(); ++i) parts[i] = slice.value(inputs()[i]);
    return parts;
  }
  tensor::SelfInteraction self_;
};

}  // namespace

Value dotInteraction(Graph& graph, const std::string& name, const std::vector<Value>& parts,
                     tensor::SelfInteraction self) {
  return graph.add<DotInteractionNode>(name, parts, self);
}

}  // namespace parapet::nn

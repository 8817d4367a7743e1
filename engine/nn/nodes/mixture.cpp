// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// Pointers to all parts are on the stack for the time of a call: a step allocates nothing.
constexpr std::size_t kMaxMixed = 512;

std::vector<Value> withLogits(std::vector<Value> parts, Value logits) {
  parts.push_back(logits);
  return parts;
}

/// The inputs are the parts, and the logits after them.
class MixtureNode final : public Node {
 public:
  MixtureNode(const Graph& graph, const std::string& name, const std::vector<Value>& parts,
              Value logits)
      : Node(graph, name, withLogits(parts, logits)) {
    if (parts.empty() || parts.size() > kMaxMixed)
      refuse(fmt::format("{} parts; 1 … {} are accepted", parts.size(), kMaxMixed));
    for (const Value part : parts) requireWidth(graph.cols(part), width());
    requireWidth(graph.cols(logits), std::ssize(parts));
  }

  void forward(StepSlice& slice) const override {
    const Operands parts = operands(slice);
    tensor::run(slice.launch(), PpMixture{.rows = slice.rows(),
                                          .width = width(),
                                          .parts = static_cast<std::int32_t>(count()),
                                          .in = parts.data(),
                                          .logits = slice.value(logits()),
                                          .out = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    const Operands parts = operands(slice);
    std::array<float*, kMaxMixed> gradients;
    std::array<std::int32_t, kMaxMixed> accumulate;
    for (std::size_t i = 0; i < count(); ++i) {
      gradients[i] = slice.gradient(inputs()[i]);
      accumulate[i] = numberOf(slice.accumulate(inputs()[i]));
    }
    tensor::run(slice.launch(), PpMixtureGradient{.rows = slice.rows(),
                                                  .width = width(),
                                                  .parts = static_cast<std::int32_t>(count()),
                                                  .in = parts.data(),
                                                  .logits = slice.value(logits()),
                                                  .dout = slice.gradient(output()),
                                                  .dIn = gradients.data(),
                                                  .accumulate = accumulate.data(),
                                                  .dLogits = slice.gradient(logits())});
  }
  // The gradient of the logits is written: they are made for this mixture, and nothing else reads
  // them.
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }

  std::int64_t flops() const override { return 2 * static_cast<std::int64_t>(count()) * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(mixture), width()}, {PARAPET_OP(mixtureGradient), width()}};
  }

 private:
  using Operands = std::array<const float*, kMaxMixed>;
  [[nodiscard]] std::size_t count() const { return inputs().size() - 1; }
  [[nodiscard]] Value logits() const { return inputs().back(); }
  Operands operands(StepSlice& slice) const {
    Operands parts;
    for (std::size_t i = 0; i < count(); ++i) parts[i] = slice.value(inputs()[i]);
    return parts;
  }
};

}  // namespace

Value mixture(Graph& graph, const std::string& name, const std::vector<Value>& parts,
              Value logits) {
  return graph.add<MixtureNode>(name, parts, logits);
}

}  // namespace parapet::nn

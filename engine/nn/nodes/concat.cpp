// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

class ConcatNode final : public Node {
 public:
  ConcatNode(const Graph& graph, const std::string& name, const std::vector<Value>& parts)
      : Node(graph, name, parts) {
    for (const Value part : parts) widths_.push_back(graph.cols(part));
    total_ = std::accumulate(widths_.begin(), widths_.end(), std::int64_t{0});
  }

  void forward(StepSlice& slice) const override {
    float* out = slice.value(output());
    for (std::size_t part = 0; part < widths_.size(); out += widths_[part++])
      tensor::run(slice.launch(), PpCopyColumns{.rows = slice.rows(),
                                                .width = widths_[part],
                                                .in = slice.value(inputs()[part]),
                                                .strideIn = widths_[part],
                                                .out = out,
                                                .strideOut = total_});
  }

  void backward(StepSlice& slice) const override {
    const float* grad = slice.gradient(output());
    for (std::size_t part = 0; part < widths_.size(); grad += widths_[part++])
      if (float* out = slice.gradient(inputs()[part]))
        tensor::run(slice.launch(),
                    PpCopyColumns{.rows = slice.rows(),
                                  .width = widths_[part],
                                  .in = grad,
                                  .strideIn = total_,
                                  .out = out,
                                  .strideOut = widths_[part],
                                  .accumulate = numberOf(slice.accumulate(inputs()[part]))});
  }
  bool accumulatesGradients() const override { return true; }
  [[nodiscard]] bool backwardReads(Value) const override { return false; }

  std::int64_t cols() const override { return total_; }
  std::int64_t flops() const override { return total_; }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(copyColumns), total_}};
  }

 private:
  std::vector<std::int64_t> widths_;
  std::int64_t total_ = 0;
};

}  // namespace

Value concat(Graph& graph, const std::string& name, const std::vector<Value>& parts) {
  return graph.add<ConcatNode>(name, parts);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// The negatives of a query are the candidates of the global batch, whatever rank has them.
class InBatchSoftmaxNode final : public Node {
 public:
  InBatchSoftmaxNode(std::string name, double temperature, Value query, Value candidate,
                     std::int64_t width, Value output)
      : Node(std::move(name), {query, candidate}, output),
        temperature_(static_cast<float>(temperature)),
        width_(width) {}

  void forward(NodeContext& context) const override {
    if (!context.trains()) add(context, nullptr, nullptr);
  }
  void backward(NodeContext& context) const override {
    add(context, context.gradient(inputs()[0]), context.gradient(inputs()[1]));
  }
  NodeScope scope() const override { return NodeScope::kBatch; }
  bool isLoss() const override { return true; }

 private:
  // A loss leaves nothing in its value: the logarithms of the rows' sums are kept there.
  void add(NodeContext& context, float* dQuery, float* dCandidate) const {
    const tensor::QueriesAndCandidates batch{
        context.rows(),    width_,      context.value(inputs()[0]), context.value(inputs()[1]),
        context.weights(), temperature_};
    const float scale = dQuery || dCandidate ? context.lossScale(output()) : 0.0f;
    context.addLoss(output(), tensor::inBatchSoftmax(context.launch(), batch, scale,
                                                     context.value(output()), dQuery, dCandidate));
  }

  float temperature_;
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeInBatchSoftmax(std::string name, double temperature, Value query,
                                         Value candidate, std::int64_t width, Value output) {
  return std::make_unique<InBatchSoftmaxNode>(std::move(name), temperature, query, candidate, width,
                                              output);
}

}  // namespace parapet::nn

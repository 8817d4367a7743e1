// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// Loss and its gradient in one pass: forward leaves d(loss)/d(prediction) where it is wanted, since
// prediction and label are in cache then, and backward has nothing left to do.
class SquaredErrorNode final : public Node {
 public:
  SquaredErrorNode(std::string name, Value prediction, Value output)
      : Node(std::move(name), {prediction}, output) {}

  void forward(NodeContext& context) const override {
    const Value prediction = inputs()[0];
    context.addErrors(tensor::squaredError(
        context.launch(), context.rows(), context.value(prediction), context.labels(),
        context.weights(), context.lossScale(), context.gradient(prediction)));
  }
  void backward(NodeContext&) const override {}
};

}  // namespace

std::unique_ptr<Node> makeSquaredError(std::string name, Value prediction, Value output) {
  return std::make_unique<SquaredErrorNode>(std::move(name), prediction, output);
}

}  // namespace parapet::nn

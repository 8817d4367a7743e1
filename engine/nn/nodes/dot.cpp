// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

class DotNode final : public Node {
 public:
  DotNode(std::string name, Value x, Value y, std::int64_t width, Value output)
      : Node(std::move(name), {x, y}, output), width_(width) {}

  void forward(NodeContext& context) const override {
    tensor::dotRows(context.launch(), context.rows(), width_, context.value(inputs()[0]),
                    context.value(inputs()[1]), context.value(output()));
  }

  void backward(NodeContext& context) const override {
    tensor::dotRowsGradient(context.launch(), context.rows(), width_, context.value(inputs()[0]),
                            context.value(inputs()[1]), context.gradient(output()),
                            context.gradient(inputs()[0]), context.accumulate(inputs()[0]),
                            context.gradient(inputs()[1]), context.accumulate(inputs()[1]));
  }

 private:
  std::int64_t width_;
};

}  // namespace

std::unique_ptr<Node> makeDot(std::string name, Value x, Value y, std::int64_t width,
                              Value output) {
  return std::make_unique<DotNode>(std::move(name), x, y, width, output);
}

}  // namespace parapet::nn

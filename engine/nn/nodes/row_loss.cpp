// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// The sum and the gradient come from one pass over the predictions, so a training step computes
// both in backward() and forward() has nothing to do.
class RowLossNode final : public Node {
 public:
  RowLossNode(std::string name, bool takesLogits, Value prediction, std::int32_t label,
              Value output)
      : Node(std::move(name), {prediction}, output), takesLogits_(takesLogits), label_(label) {}

  void forward(NodeContext& context) const override {
    if (!context.trains()) add(context, nullptr);
  }
  void backward(NodeContext& context) const override {
    add(context, context.gradient(inputs()[0]));
  }
  bool isLoss() const override { return true; }

  std::vector<tensor::OpRequest> ops() const override {
    if (takesLogits_) return {{PARAPET_OP(logisticLoss)}};
    return {{PARAPET_OP(squaredError)}};
  }

 private:
  void add(NodeContext& context, float* gradient) const {
    const std::int64_t rows = context.rows();
    const float* prediction = context.value(inputs()[0]);
    const float* label = context.labels(label_);
    const float* weight = context.weights();
    const float scale = gradient ? context.lossScale(output()) : 0.0f;
    double* const sums = context.lossSums(output());
    if (takesLogits_)
      tensor::run(context.launch(),
                  PpLogisticLoss{rows, prediction, label, weight, scale, gradient, sums});
    else
      tensor::run(context.launch(),
                  PpSquaredError{rows, prediction, label, weight, scale, gradient, sums});
  }

  bool takesLogits_;
  std::int32_t label_;
};

}  // namespace

std::unique_ptr<Node> makeRowLoss(std::string name, experiment::LossKind kind, Value prediction,
                                  std::int32_t label, Value output) {
  if (!experiment::isRowwise(kind))
    throw InvalidArgument("[nn.rowLoss] " + name + ": the loss is not one of rows");
  return std::make_unique<RowLossNode>(std::move(name), experiment::traitsOf(kind).takesLogits,
                                       prediction, label, output);
}

}  // namespace parapet::nn

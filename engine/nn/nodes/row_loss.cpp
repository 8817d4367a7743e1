// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// The sum and the gradient come from one pass over the predictions, so a training step computes
// both in backward() and forward() has nothing to do.
class RowLossNode final : public Node {
 public:
  RowLossNode(std::string name, bool takesLogits, Value prediction, std::int32_t label,
              Value output)
      : Node(std::move(name), {prediction}, output), takesLogits_(takesLogits), label_(label) {}

  void forward(StepSlice& slice) const override {
    if (!slice.trains()) add(slice, nullptr);
  }
  void backward(StepSlice& slice) const override { add(slice, slice.gradient(inputs()[0])); }
  bool isLoss() const override { return true; }

  std::vector<tensor::OpRequest> ops() const override {
    if (takesLogits_) return {{PARAPET_OP(logisticLoss)}};
    return {{PARAPET_OP(squaredError)}};
  }

 private:
  void add(StepSlice& slice, float* gradient) const {
    const std::int64_t rows = slice.rows();
    const float* prediction = slice.value(inputs()[0]);
    const float* label = slice.labels(label_);
    const float* weight = slice.weights();
    const float scale = gradient ? slice.lossScale(output()) : 0.0f;
    double* const sums = slice.lossSums(output());
    if (takesLogits_)
      tensor::run(slice.launch(),
                  PpLogisticLoss{rows, prediction, label, weight, scale, gradient, sums});
    else
      tensor::run(slice.launch(),
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

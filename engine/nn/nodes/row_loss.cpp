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
  RowLossNode(const Graph& graph, const std::string& name, const experiment::Loss& loss,
              Value prediction, std::int32_t label)
      : Node(graph, name, {prediction}),
        takesLogits_(experiment::traitsOf(loss.kind).takesLogits),
        label_(label) {
    requireExamples(graph, prediction);
    requireWidth(width(), 1);
    if (!experiment::isRowwise(loss.kind))
      throw InvalidArgument("[nn.rowLoss] " + name + ": the loss is not one of rows");
    addsLoss(loss);
  }

  void forward(StepSlice& slice) const override {
    if (!slice.trains()) add(slice, nullptr);
  }
  void backward(StepSlice& slice) const override { add(slice, slice.gradient(inputs()[0])); }

  std::int64_t flops() const override { return 4; }
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

Value rowLoss(Graph& graph, const std::string& name, const experiment::Loss& loss, Value prediction,
              std::int32_t label) {
  return graph.add<RowLossNode>(name, loss, prediction, label);
}

}  // namespace parapet::nn

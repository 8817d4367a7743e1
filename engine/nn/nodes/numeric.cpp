// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

using experiment::NumericTransform;

class NumericNode final : public Node {
 public:
  NumericNode(const Graph&, const std::string& name, std::int32_t feature,
              NumericTransform transform)
      : Node(name), feature_(feature), transform_(transform) {}

  void forward(StepSlice& slice) const override {
    const float* values = slice.numeric(feature_);
    float* out = slice.value(output());
    if (transform_ == NumericTransform::kLog1p)
      tensor::run(slice.launch(), PpSignedLog{slice.rows(), values, out});
    else
      tensor::run(slice.launch(), PpCopyColumns{.rows = slice.rows(),
                                                .width = 1,
                                                .in = values,
                                                .strideIn = 1,
                                                .out = out,
                                                .strideOut = 1});
  }
  // Data have no gradient.
  void backward(StepSlice&) const override {}
  [[nodiscard]] bool backwardReads(Value) const override { return false; }

  std::int64_t cols() const override { return 1; }
  std::int64_t flops() const override { return 1; }
  std::vector<tensor::OpRequest> ops() const override {
    if (transform_ == NumericTransform::kLog1p) return {{PARAPET_OP(signedLog)}};
    return {{PARAPET_OP(copyColumns)}};
  }

 private:
  std::int32_t feature_;
  NumericTransform transform_;
};

// The data that the transform was fitted to are a state of the model: every memory space has a
// copy, checkpoints keep it.
class FittedNumericNode final : public Node {
 public:
  FittedNumericNode(const Graph& graph, const std::string& name, std::int32_t feature,
                    NumericTransform transform, ParameterIndex fitted)
      : Node(name),
        feature_(feature),
        transform_(transform),
        fitted_(fitted),
        knots_(readsDense(graph, fitted).cols) {}

  void forward(StepSlice& slice) const override {
    const float* values = slice.numeric(feature_);
    float* const fitted = slice.state(fitted_);
    float* const out = slice.value(output());
    if (transform_ == NumericTransform::kQuantile)
      tensor::run(
          slice.launch(),
          PpQuantile{
              .count = slice.rows(), .knots = knots_, .x = values, .values = fitted, .y = out});
    else
      tensor::run(slice.launch(), PpBatchNorm{.rows = slice.rows(),
                                              .width = 1,
                                              .x = values,
                                              .gamma = fitted,
                                              .beta = fitted + 1,
                                              .epsilon = 0.0f,
                                              .movingMean = fitted + 2,
                                              .movingVariance = fitted + 3,
                                              .y = out});
  }
  // Data have no gradient.
  void backward(StepSlice&) const override {}
  [[nodiscard]] bool backwardReads(Value) const override { return false; }

  std::int64_t cols() const override { return 1; }
  std::int64_t flops() const override { return 2; }
  std::vector<tensor::OpRequest> ops() const override {
    if (transform_ == NumericTransform::kQuantile) return {{PARAPET_OP(quantile)}};
    return {{PARAPET_OP(batchNorm)}};
  }

 private:
  std::int32_t feature_;
  NumericTransform transform_;
  ParameterIndex fitted_;
  std::int64_t knots_;
};

}  // namespace

Value numeric(Graph& graph, const std::string& name, std::int32_t feature,
              NumericTransform transform) {
  return graph.add<NumericNode>(name, feature, transform);
}

Value fittedNumeric(Graph& graph, const std::string& name, std::int32_t feature,
                    NumericTransform transform, ParameterIndex fitted) {
  return graph.add<FittedNumericNode>(name, feature, transform, fitted);
}

}  // namespace parapet::nn

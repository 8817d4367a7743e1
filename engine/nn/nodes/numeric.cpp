// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

using experiment::NumericTransform;

class NumericNode final : public Node {
 public:
  NumericNode(std::string name, std::int32_t feature, NumericTransform transform, Value output)
      : Node(std::move(name), {}, output), feature_(feature), transform_(transform) {}

  void forward(NodeContext& context) const override {
    const float* values = context.numeric(feature_);
    float* out = context.value(output());
    if (transform_ == NumericTransform::kLog1p)
      tensor::signedLog(context.launch(), context.rows(), values, out);
    else
      tensor::copyColumns(context.launch(), context.rows(), 1, values, 1, out, 1,
                          tensor::Accumulate::kNo);
  }
  // Data have no gradient.
  void backward(NodeContext&) const override {}

 private:
  std::int32_t feature_;
  NumericTransform transform_;
};

}  // namespace

std::unique_ptr<Node> makeNumeric(std::string name, std::int32_t feature,
                                  NumericTransform transform, Value output) {
  return std::make_unique<NumericNode>(std::move(name), feature, transform, output);
}

}  // namespace parapet::nn

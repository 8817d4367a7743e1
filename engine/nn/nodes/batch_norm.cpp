// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

// Works on the whole batch, so that any number of ranks normalises by the same statistics.
// backward() takes them from x again: a node holds no memory. Over several memory spaces the sums
// of the columns are added up, those of the values in the forward pass and those of the gradients
// in the backward pass.
class BatchNormNode final : public Node {
 public:
  BatchNormNode(std::string name, Value x, NormParameters parameters, double momentum,
                double epsilon, std::int64_t width, Value output)
      : Node(std::move(name), {x}, output),
        parameters_(parameters),
        momentum_(static_cast<float>(momentum)),
        epsilon_(static_cast<float>(epsilon)),
        width_(width) {}

  void forward(NodeContext& context) const override {
    tensor::run(context.launch(), PpBatchNorm{.rows = context.rows(),
                                              .width = width_,
                                              .x = context.value(inputs()[0]),
                                              .gamma = context.weight(parameters_.gamma),
                                              .beta = context.weight(parameters_.beta),
                                              .epsilon = epsilon_,
                                              .momentum = momentum_,
                                              .useBatch = context.trains() ? 1 : 0,
                                              .movingMean = context.state(parameters_.mean),
                                              .movingVariance = context.state(parameters_.variance),
                                              .y = context.value(output())});
  }
  void backward(NodeContext& context) const override {
    tensor::run(context.launch(),
                PpBatchNormGradient{.rows = context.rows(),
                                    .width = width_,
                                    .x = context.value(inputs()[0]),
                                    .gamma = context.weight(parameters_.gamma),
                                    .epsilon = epsilon_,
                                    .dy = context.gradient(output()),
                                    .dx = context.gradient(inputs()[0]),
                                    .dgamma = context.parameterGradient(parameters_.gamma),
                                    .dbeta = context.parameterGradient(parameters_.beta)});
  }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }
  NodeScope scope() const override { return NodeScope::kBatch; }

  std::int64_t meetingElements(std::int64_t, std::int64_t) const override {
    return 4 * width_ * kFloatsPerDouble;
  }
  int rounds(const NodeContext& context, Pass pass) const override {
    if (pass == Pass::kForward) return context.trains() ? 3 : 1;
    return 2;
  }
  Meeting round(NodeContext& context, Pass pass, int index) const override {
    return pass == Pass::kForward ? forwardRound(context, index) : backwardRound(context, index);
  }

  std::vector<ParameterIndex> parameters() const override {
    return {parameters_.gamma, parameters_.beta, parameters_.mean, parameters_.variance};
  }

  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(batchNorm), width_},
            {PARAPET_OP(batchNormGradient), width_},
            {PARAPET_OP(batchMoments), width_},
            {PARAPET_OP(batchNormOfMoments), width_},
            {PARAPET_OP(batchNormGradientSums), width_},
            {PARAPET_OP(batchNormGradientOfSums), width_}};
  }

 private:
  static constexpr std::int64_t kFloatsPerDouble = sizeof(double) / sizeof(float);

  // Moments of the batch, then sums of the gradients.
  [[nodiscard]] static double* sumsIn(NodeContext& context) {
    return reinterpret_cast<double*>(context.scratch());
  }
  [[nodiscard]] Meeting sumOf(double* sums, std::int64_t count) const {
    return {Meeting::Kind::kSum, nullptr, sums, count, mesh::ElementType::kF64};
  }
  Meeting forwardRound(NodeContext& context, int index) const;
  Meeting backwardRound(NodeContext& context, int index) const;
  NormParameters parameters_;
  float momentum_, epsilon_;
  std::int64_t width_;
};

Meeting BatchNormNode::forwardRound(NodeContext& context, int index) const {
  const float* const x = context.value(inputs()[0]);
  if (!context.trains()) {
    forward(context);
    return {};
  }
  double* const s1 = sumsIn(context);
  double* const s2 = s1 + width_;
  if (index < 2) {
    double* const sums = index == 0 ? s1 : s2;
    tensor::run(context.launch(), PpBatchMoments{.rows = context.rows(),
                                                 .width = width_,
                                                 .batchRows = context.cut().rows(),
                                                 .x = x,
                                                 .center = index == 0 ? nullptr : s1,
                                                 .sums = sums});
    return sumOf(sums, width_);
  }
  tensor::run(context.launch(),
              PpBatchNormOfMoments{.rows = context.rows(),
                                   .width = width_,
                                   .batchRows = context.cut().rows(),
                                   .x = x,
                                   .gamma = context.weight(parameters_.gamma),
                                   .beta = context.weight(parameters_.beta),
                                   .epsilon = epsilon_,
                                   .momentum = momentum_,
                                   .s1 = s1,
                                   .s2 = s2,
                                   .movingMean = context.state(parameters_.mean),
                                   .movingVariance = context.state(parameters_.variance),
                                   .y = context.value(output())});
  return {};
}

// Each space keeps its own part of the gradients of γ and β, which are added up with those of all
// dense parameters.
Meeting BatchNormNode::backwardRound(NodeContext& context, int index) const {
  const double* const s1 = sumsIn(context);
  const double* const s2 = s1 + width_;
  double* const sums = sumsIn(context) + 2 * width_;
  if (index == 0) {
    tensor::run(context.launch(),
                PpBatchNormGradientSums{.rows = context.rows(),
                                        .width = width_,
                                        .batchRows = context.cut().rows(),
                                        .x = context.value(inputs()[0]),
                                        .epsilon = epsilon_,
                                        .s1 = s1,
                                        .s2 = s2,
                                        .dy = context.gradient(output()),
                                        .sums = sums,
                                        .dgamma = context.parameterGradient(parameters_.gamma),
                                        .dbeta = context.parameterGradient(parameters_.beta)});
    return sumOf(sums, 2 * width_);
  }
  if (float* const dx = context.gradient(inputs()[0]))
    tensor::run(context.launch(),
                PpBatchNormGradientOfSums{.rows = context.rows(),
                                          .width = width_,
                                          .batchRows = context.cut().rows(),
                                          .x = context.value(inputs()[0]),
                                          .gamma = context.weight(parameters_.gamma),
                                          .epsilon = epsilon_,
                                          .s1 = s1,
                                          .s2 = s2,
                                          .dy = context.gradient(output()),
                                          .sums = sums,
                                          .dx = dx});
  return {};
}

}  // namespace

std::unique_ptr<Node> makeBatchNorm(std::string name, Value x, NormParameters parameters,
                                    double momentum, double epsilon, std::int64_t width,
                                    Value output) {
  return std::make_unique<BatchNormNode>(std::move(name), x, parameters, momentum, epsilon, width,
                                         output);
}

}  // namespace parapet::nn

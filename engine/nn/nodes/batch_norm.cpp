// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

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

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpBatchNorm{.rows = slice.rows(),
                                            .width = width_,
                                            .x = slice.value(inputs()[0]),
                                            .gamma = slice.weight(parameters_.gamma),
                                            .beta = slice.weight(parameters_.beta),
                                            .epsilon = epsilon_,
                                            .momentum = momentum_,
                                            .useBatch = slice.trains() ? 1 : 0,
                                            .movingMean = slice.state(parameters_.mean),
                                            .movingVariance = slice.state(parameters_.variance),
                                            .y = slice.value(output())});
  }
  void backward(StepSlice& slice) const override {
    tensor::run(slice.launch(),
                PpBatchNormGradient{.rows = slice.rows(),
                                    .width = width_,
                                    .x = slice.value(inputs()[0]),
                                    .gamma = slice.weight(parameters_.gamma),
                                    .epsilon = epsilon_,
                                    .dy = slice.gradient(output()),
                                    .dx = slice.gradient(inputs()[0]),
                                    .dgamma = slice.parameterGradient(parameters_.gamma),
                                    .dbeta = slice.parameterGradient(parameters_.beta)});
  }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }
  NodeScope scope() const override { return NodeScope::kBatch; }

  std::int64_t meetingElements(std::int64_t, std::int64_t) const override {
    return 4 * width_ * kFloatsPerDouble;
  }
  int rounds(const StepSlice& slice, Pass pass) const override {
    if (pass == Pass::kForward) return slice.trains() ? 3 : 1;
    return 2;
  }
  Meeting round(StepSlice& slice, Pass pass, int index) const override {
    return pass == Pass::kForward ? forwardRound(slice, index) : backwardRound(slice, index);
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
  [[nodiscard]] static double* sumsIn(StepSlice& slice) {
    return reinterpret_cast<double*>(slice.scratch());
  }
  [[nodiscard]] Meeting sumOf(double* sums, std::int64_t count) const {
    return {Meeting::Kind::kSum, nullptr, sums, count, mesh::ElementType::kF64};
  }
  Meeting forwardRound(StepSlice& slice, int index) const;
  Meeting backwardRound(StepSlice& slice, int index) const;
  NormParameters parameters_;
  float momentum_, epsilon_;
  std::int64_t width_;
};

Meeting BatchNormNode::forwardRound(StepSlice& slice, int index) const {
  const float* const x = slice.value(inputs()[0]);
  if (!slice.trains()) {
    forward(slice);
    return {};
  }
  double* const s1 = sumsIn(slice);
  double* const s2 = s1 + width_;
  if (index < 2) {
    double* const sums = index == 0 ? s1 : s2;
    tensor::run(slice.launch(), PpBatchMoments{.rows = slice.rows(),
                                               .width = width_,
                                               .batchRows = slice.cut().rows(),
                                               .x = x,
                                               .center = index == 0 ? nullptr : s1,
                                               .sums = sums});
    return sumOf(sums, width_);
  }
  tensor::run(slice.launch(),
              PpBatchNormOfMoments{.rows = slice.rows(),
                                   .width = width_,
                                   .batchRows = slice.cut().rows(),
                                   .x = x,
                                   .gamma = slice.weight(parameters_.gamma),
                                   .beta = slice.weight(parameters_.beta),
                                   .epsilon = epsilon_,
                                   .momentum = momentum_,
                                   .s1 = s1,
                                   .s2 = s2,
                                   .movingMean = slice.state(parameters_.mean),
                                   .movingVariance = slice.state(parameters_.variance),
                                   .y = slice.value(output())});
  return {};
}

// Each space keeps its own part of the gradients of γ and β, which are added up with those of all
// dense parameters.
Meeting BatchNormNode::backwardRound(StepSlice& slice, int index) const {
  const double* const s1 = sumsIn(slice);
  const double* const s2 = s1 + width_;
  double* const sums = sumsIn(slice) + 2 * width_;
  if (index == 0) {
    tensor::run(slice.launch(),
                PpBatchNormGradientSums{.rows = slice.rows(),
                                        .width = width_,
                                        .batchRows = slice.cut().rows(),
                                        .x = slice.value(inputs()[0]),
                                        .epsilon = epsilon_,
                                        .s1 = s1,
                                        .s2 = s2,
                                        .dy = slice.gradient(output()),
                                        .sums = sums,
                                        .dgamma = slice.parameterGradient(parameters_.gamma),
                                        .dbeta = slice.parameterGradient(parameters_.beta)});
    return sumOf(sums, 2 * width_);
  }
  if (float* const dx = slice.gradient(inputs()[0]))
    tensor::run(slice.launch(), PpBatchNormGradientOfSums{.rows = slice.rows(),
                                                          .width = width_,
                                                          .batchRows = slice.cut().rows(),
                                                          .x = slice.value(inputs()[0]),
                                                          .gamma = slice.weight(parameters_.gamma),
                                                          .epsilon = epsilon_,
                                                          .s1 = s1,
                                                          .s2 = s2,
                                                          .dy = slice.gradient(output()),
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

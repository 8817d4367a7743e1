// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/nodes/nodes.h"
#include "engine/nn/step_slice.h"

namespace parapet::nn {
namespace {

// Works on the whole batch, so that any number of ranks normalises by the same statistics.
// backward() takes them from x again: a node holds no memory. Over several memory spaces the sums
// of the columns are added up, those of the values in the forward pass and those of the gradients
// in the backward pass.
class BatchNormNode final : public BatchNode {
 public:
  BatchNormNode(const Graph& graph, const std::string& name, Value x,
                const NormParameters& parameters, double momentum, double epsilon)
      : BatchNode(graph, name, {x}),
        parameters_(parameters),
        momentum_(static_cast<float>(momentum)),
        epsilon_(static_cast<float>(epsilon)) {
    requireExamples(graph, x);
    for (const ParameterIndex index :
         {parameters.gamma, parameters.beta, parameters.mean, parameters.variance})
      requireWidth(readsDense(graph, index).cols, width());
  }

  void forward(StepSlice& slice) const override {
    tensor::run(slice.launch(), PpBatchNorm{.rows = slice.rows(),
                                            .width = width(),
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
                                    .width = width(),
                                    .x = slice.value(inputs()[0]),
                                    .gamma = slice.weight(parameters_.gamma),
                                    .epsilon = epsilon_,
                                    .dy = slice.gradient(output()),
                                    .dx = slice.gradient(inputs()[0]),
                                    .dgamma = slice.parameterGradient(parameters_.gamma),
                                    .dbeta = slice.parameterGradient(parameters_.beta)});
  }
  [[nodiscard]] bool backwardReads(Value value) const override { return value != output(); }

  std::int64_t meetingElements(std::int64_t, std::int64_t) const override {
    return 4 * width() * kFloatsPerDouble;
  }
  int rounds(Pass pass, bool trains) const override {
    if (pass == Pass::kForward) return trains ? 3 : 1;
    return 2;
  }
  Meeting round(StepSlice& slice, Pass pass, int index) const override {
    return pass == Pass::kForward ? forwardRound(slice, index) : backwardRound(slice, index);
  }

  std::int64_t flops() const override { return 8 * width(); }
  std::vector<tensor::OpRequest> ops() const override {
    return {{PARAPET_OP(batchNorm), width()},
            {PARAPET_OP(batchNormGradient), width()},
            {PARAPET_OP(batchMoments), width()},
            {PARAPET_OP(batchNormOfMoments), width()},
            {PARAPET_OP(batchNormGradientSums), width()},
            {PARAPET_OP(batchNormGradientOfSums), width()}};
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
};

Meeting BatchNormNode::forwardRound(StepSlice& slice, int index) const {
  const float* const x = slice.value(inputs()[0]);
  if (!slice.trains()) {
    forward(slice);
    return {};
  }
  double* const s1 = sumsIn(slice);
  double* const s2 = s1 + width();
  if (index < 2) {
    double* const sums = index == 0 ? s1 : s2;
    tensor::run(slice.launch(), PpBatchMoments{.rows = slice.rows(),
                                               .width = width(),
                                               .batchRows = slice.cut().rows(),
                                               .x = x,
                                               .center = index == 0 ? nullptr : s1,
                                               .sums = sums});
    return sumOf(sums, width());
  }
  tensor::run(slice.launch(),
              PpBatchNormOfMoments{.rows = slice.rows(),
                                   .width = width(),
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
  const double* const s2 = s1 + width();
  double* const sums = sumsIn(slice) + 2 * width();
  if (index == 0) {
    tensor::run(slice.launch(),
                PpBatchNormGradientSums{.rows = slice.rows(),
                                        .width = width(),
                                        .batchRows = slice.cut().rows(),
                                        .x = slice.value(inputs()[0]),
                                        .epsilon = epsilon_,
                                        .s1 = s1,
                                        .s2 = s2,
                                        .dy = slice.gradient(output()),
                                        .sums = sums,
                                        .dgamma = slice.parameterGradient(parameters_.gamma),
                                        .dbeta = slice.parameterGradient(parameters_.beta)});
    return sumOf(sums, 2 * width());
  }
  if (float* const dx = slice.gradient(inputs()[0]))
    tensor::run(slice.launch(), PpBatchNormGradientOfSums{.rows = slice.rows(),
                                                          .width = width(),
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

Value batchNorm(Graph& graph, const std::string& name, Value x, const NormParameters& parameters,
                double momentum, double epsilon) {
  return graph.add<BatchNormNode>(name, x, parameters, momentum, epsilon);
}

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/parameters.h"

#include <algorithm>
#include <vector>

#include "engine/nn/initializers.h"
#include "engine/tensor/ops/fill.h"

namespace parapet::nn {
namespace {

using experiment::Optimizer;
using experiment::OptimizerKind;

void upload(const tensor::Device& device, void* out, const void* in, std::uint64_t bytes) {
  if (device.backend().copyToDevice(nullptr, out, in, bytes) != PP_OK)
    throw InternalError("[nn.makeParameter] the device refused a copy");
}

}  // namespace

std::vector<std::string> slotNames(const Optimizer& optimizer) {
  switch (optimizer.kind) {
    case OptimizerKind::kSgd:
      return optimizer.momentum != 0.0 ? std::vector<std::string>{"velocity"}
                                       : std::vector<std::string>{};
    case OptimizerKind::kAdagrad:
      return {"accumulator"};
    case OptimizerKind::kAdam:
      return {"moment", "variance"};
  }
  return {};
}

float slotStart(const Optimizer& optimizer, std::string_view slot) {
  return slot == "accumulator" ? static_cast<float>(optimizer.initialAccumulator) : 0.0f;
}

ParameterBytes parameterBytes(const ParameterSpec& spec) {
  const auto cells = static_cast<std::uint64_t>(spec.rows) * static_cast<std::uint64_t>(spec.cols);
  const std::uint64_t slots = spec.trainable ? slotNames(spec.optimizer).size() : 0;
  return {cells * sizeof(float), cells * sizeof(float) * slots,
          spec.sparse && spec.trainable
              ? static_cast<std::uint64_t>(spec.rows) * sizeof(std::int32_t)
              : 0};
}

Parameter makeParameter(const ParameterSpec& spec, const tensor::Device& device,
                        std::uint64_t seed) {
  Parameter parameter{spec, tensor::Buffer<float>(device, spec.rows * spec.cols), {}, {}};
  // On the host weights are written in place; elsewhere they are made here and copied over.
  std::vector<float> staging;
  std::span<float> weight = parameter.weight.host();
  if (!device.isHost()) {
    staging.resize(weight.size());
    weight = staging;
  }
  initialize(spec.initializer, seed, spec.name, spec.rows, spec.cols, weight);
  if (!device.isHost())
    upload(device, parameter.weight.data(), staging.data(), parameter.weight.bytes());
  if (!spec.trainable) return parameter;
  const tensor::Launch launch{&device, nullptr};
  for (const std::string& name : slotNames(spec.optimizer)) {
    parameter.slots.push_back({name, tensor::Buffer<float>(device, parameter.size())});
    tensor::fill(launch, parameter.slots.back().values.data(), parameter.size(),
                 slotStart(spec.optimizer, name));
  }
  if (spec.sparse) {
    parameter.placeOfRow = tensor::Buffer<std::int32_t>(device, spec.rows);
    const std::vector<std::int32_t> none(static_cast<std::size_t>(spec.rows), -1);
    upload(device, parameter.placeOfRow.data(), none.data(), parameter.placeOfRow.bytes());
  }
  return parameter;
}

void updateParameter(const tensor::Launch& launch, Parameter& parameter,
                     const tensor::UpdateTarget& target, std::int64_t step) {
  const Optimizer& optimizer = parameter.spec.optimizer;
  const auto moved = optimizer.sparseUpdate == experiment::SparseUpdate::kDense
                         ? tensor::RowsMoved::kEveryRow
                         : tensor::RowsMoved::kGradientRows;
  const auto rate = static_cast<float>(optimizer.learningRate);
  const auto epsilon = static_cast<float>(optimizer.epsilon);
  switch (optimizer.kind) {
    case OptimizerKind::kSgd:
      return tensor::sgd(launch, target, rate, static_cast<float>(optimizer.momentum),
                         parameter.slots.empty() ? nullptr : parameter.slots[0].values.data(),
                         moved, parameter.placeOfRow.data());
    case OptimizerKind::kAdagrad:
      return tensor::adagrad(launch, target, rate, epsilon,
                             optimizer.epsilonInsideRoot ? tensor::AdagradEpsilon::kInsideRoot
                                                         : tensor::AdagradEpsilon::kOutsideRoot,
                             parameter.slots[0].values.data());
    case OptimizerKind::kAdam: {
      const auto factors =
          optimizer.epsilonMode == experiment::AdamEpsilon::kUncorrected
              ? tensor::AdamFactors::uncorrected(optimizer.learningRate, optimizer.beta1,
                                                 optimizer.beta2, step)
              : tensor::AdamFactors::corrected(optimizer.learningRate, optimizer.beta1,
                                               optimizer.beta2, step);
      return tensor::adam(launch, target, factors, static_cast<float>(optimizer.beta1),
                          static_cast<float>(optimizer.beta2), epsilon,
                          parameter.slots[0].values.data(), parameter.slots[1].values.data(), moved,
                          parameter.placeOfRow.data());
    }
  }
}

}  // namespace parapet::nn

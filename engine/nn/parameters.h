// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/optimizers.h"

namespace parapet::nn {

/// What a parameter is, before it has memory.
struct ParameterSpec {
  std::string name;  ///< "tables/user" or "dense/query_0_kernel": prefix of its tensors
  std::int64_t rows = 0, cols = 0;
  experiment::Initializer initializer;
  experiment::Optimizer optimizer;
  bool trainable = true;
  bool sparse = false;  ///< gradients come as rows (an embedding table)
};

/// Optimizer state beside the weight: one array [rows, cols] per slot.
struct Slot {
  std::string name;  ///< "accumulator", "velocity", "moment", "variance"
  tensor::Buffer<float> values;
};

/// A parameter in one memory space: weight and slots exist once, whatever the number of ranks in
/// it.
struct Parameter {
  ParameterSpec spec;
  tensor::Buffer<float> weight;
  std::vector<Slot> slots;
  tensor::Buffer<std::int32_t>
      placeOfRow;  ///< scratch of grouping and dense updates, −1 everywhere

  [[nodiscard]] std::int64_t size() const { return spec.rows * spec.cols; }
};

/// Names of the slots an optimizer keeps, in order.
std::vector<std::string> slotNames(const experiment::Optimizer& optimizer);
/// Value every element of a slot starts with.
float slotStart(const experiment::Optimizer& optimizer, std::string_view slot);

/// Bytes of a parameter before it exists.
struct ParameterBytes {
  std::uint64_t weight = 0, slots = 0, scratch = 0;
  [[nodiscard]] std::uint64_t total() const { return weight + slots + scratch; }
};
ParameterBytes parameterBytes(const ParameterSpec& spec);

/// Allocates and initialises; the weights are a pure function of (seed, spec).
Parameter makeParameter(const ParameterSpec& spec, const tensor::Device& device,
                        std::uint64_t seed);

/// Applies one optimizer step to a parameter; `target` is of its weight. `step` counts from 1 over
/// the whole run (Adam's t).
void updateParameter(const tensor::Launch& launch, Parameter& parameter,
                     const tensor::UpdateTarget& target, std::int64_t step);

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/workers.h"
#include "engine/nn/plan_layout.h"

namespace parapet::nn {

/// The updates of one step: gradients are clipped as their optimizers demand, then applied in the
/// order in which they were added. All memory is taken at construction.
class ParameterUpdates {
 public:
  ParameterUpdates(const Graph& graph, const PlanLayout& layout,
                   std::span<const Parameter> parameters, const tensor::Device& device);

  void clear() { updates_.clear(); }
  /// One for each shard of a parameter, in the order of the shards. The gradient of a dense
  /// parameter is clipped in place.
  void add(Parameter& parameter, int shard, const tensor::UpdateTarget& target,
           float* denseGradient = nullptr);
  /// `step` counts from 1. `workers` may be null.
  void apply(const tensor::Device& device, Workers* workers, std::int64_t step);

  /// False if the last apply() made a weight NaN or infinite: a gradient was, or the step overflowed.
  [[nodiscard]] bool keptWeightsFinite() const { return nonFinite_ == 0; }

  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Update {
    Parameter* parameter;
    int shard;
    tensor::UpdateTarget target;
    float* gradient;  ///< that may be changed; null: not written out
    const float* meanSquares = nullptr;
  };
  struct Memory {
    tensor::Buffer<float> merged, meanSquares;
  };

  void clip(const tensor::Launch& launch);
  void shareMeanSquares(const tensor::Launch& launch);
  /// Whether the updates [begin, end) run on several workers.
  [[nodiscard]] bool worthWaking(std::size_t begin, std::size_t end) const;
  [[nodiscard]] Memory& memoryOf(const Update& update);
  /// Σ of squares that the norm of an update is of: its parameter's, or its optimizer's.
  [[nodiscard]] double& squaresOf(const Update& update);

  std::vector<Memory> memory_;
  std::vector<std::size_t> firstMemory_;  // by parameter: of its shards in memory_
  std::vector<double> squaresOfParameter_, squaresOfGroup_;
  std::vector<Update> updates_;
  const Parameter* first_ = nullptr;
  std::int32_t nonFinite_ = 0;  // written by the optimizers' kernels
};

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/mesh/device_mesh.h"
#include "engine/nn/step_plan.h"
#include "engine/tensor/buffer.h"

namespace parapet::nn {

/// The rows of a global batch that a memory space works on, in its own memory: ids, offsets, weights,
/// labels and dense features are copied there once a step. Where there is one space only, nothing is
/// copied and the views are those of the batch.
class StagedInput {
 public:
  enum class From {
    kViews,   ///< the batch lies in this space
    kCopies,  ///< the space has memory of its own for its rows
  };
  /// `capacityRows`, `idsPerRow`: of the plan; what needs more memory than they say gets it when it
  /// first comes.
  StagedInput(const tensor::Device& device, From from, std::int64_t capacityRows,
              std::vector<std::int64_t> idsPerRow);

  /// Lists and frequencies of items stay those of the batch.
  ///
  /// Errors   InvalidArgument if a feature has fewer ids, offsets or values than the rows ask for.
  const StepInput& stage(const StepInput& batch, mesh::RowSlice rows);
  /// The batch that was staged ahead is that of this step now: its views may lie elsewhere.
  void resume(const StepInput& batch);
  /// Of the last stage().
  [[nodiscard]] const StepInput& input() const { return input_; }
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Feature {
    tensor::Buffer<std::int32_t> ids, offsets;
    tensor::Buffer<float> weights, dense;
  };
  void stageFeature(std::size_t feature, const data::FeatureIds& from, mesh::RowSlice rows);
  template <class T>
  std::span<const T> copy(tensor::Buffer<T>& into, std::span<const T> from, std::int64_t capacity);

  const tensor::Device device_;
  const From from_;
  const std::int64_t capacityRows_;
  const std::vector<std::int64_t> idsPerRow_;
  std::vector<Feature> features_;
  tensor::Buffer<float> labels_, weights_;
  std::vector<data::FeatureIds> views_;
  std::vector<std::int32_t> offsets_;  ///< on the host, from 0
  StepInput input_;
};

}  // namespace parapet::nn

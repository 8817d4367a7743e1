// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/data/dataset/dataset.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/model.h"
#include "engine/nn/step_runner.h"
#include "engine/train/entity_inputs.h"

namespace parapet::train {

/// What a forward pass computes.
enum class ForwardOutput {
  kQuery,  ///< the vector of a query
  kScore,  ///< the score of a pair
};

/// A copy of the weights that an output of a model reads, on one logical device, and runners that
/// compute it: one for each thread that computes at the same time, made when it is first needed
/// and kept. A runner computes in its thread alone: an answer takes a few milliseconds. The copy of a
/// table has a row of zeros behind its own, for features that are taken out.
///
/// Thread   any.
class ForwardRunners {
 public:
  /// `parameters`: weights to copy, in the order of the model's; a parameter that the output does
  /// not read is not copied. `capacityRows`: of a pass; of sequences as many positions.
  static Result<std::unique_ptr<ForwardRunners>> create(
      const experiment::Experiment& experiment, std::shared_ptr<const data::Dataset> dataset,
      std::span<const nn::Parameter> parameters, EntityInputs inputs, ForwardOutput output,
      std::int64_t capacityRows);
  ~ForwardRunners();

  struct Runner;
  /// A runner that is the caller's alone until it is destroyed.
  class Lease {
   public:
    Lease(ForwardRunners& runners, std::unique_ptr<Runner> runner);
    ~Lease();
    Lease(Lease&&) = delete;
    /// Features of the next pass.
    [[nodiscard]] EntityInputs& inputs();
    /// The output, [rows, width], valid until the next pass.
    std::span<const float> forward(std::span<const data::FeatureIds> features, std::int64_t rows);

   private:
    ForwardRunners& runners_;
    std::unique_ptr<Runner> runner_;
  };
  Lease take();

  [[nodiscard]] const EntityInputs& inputs() const { return inputs_; }
  [[nodiscard]] std::int64_t width() const { return model_.graph.cols(output_); }
  [[nodiscard]] std::int64_t capacityRows() const { return capacityRows_; }
  /// Plans that exist.
  [[nodiscard]] std::size_t runners() const;

 private:
  ForwardRunners(nn::Model model, mesh::DeviceMesh mesh, EntityInputs inputs,
                 std::vector<std::int64_t> idsPerRow, ForwardOutput output,
                 std::int64_t capacityRows);
  Status copyWeights(std::span<const nn::Parameter> parameters);

  nn::Model model_;
  mesh::DeviceMesh mesh_;
  EntityInputs inputs_;
  std::vector<std::int64_t> idsPerRow_;
  nn::Value output_;
  std::int64_t capacityRows_;
  std::vector<nn::Parameter> parameters_;
  mutable std::mutex mutex_;  ///< guards the unused runners, and how many there are
  std::vector<std::unique_ptr<Runner>> idle_;
  std::size_t made_ = 0;
};

}  // namespace parapet::train

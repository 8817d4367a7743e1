// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/data/batches.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/plan_layout.h"

namespace parapet::nn {

/// What one step works on: views of a global batch and its counts.
struct StepInput {
  std::int64_t rows = 0;                       ///< B, at most the plan's capacity
  std::span<const data::FeatureIds> features;  ///< by feature index
  std::span<const float> labels{};
  std::span<const float> weights{};  ///< empty: all 1
  double denominator = 1.0;  ///< of the global batch's loss: B, Σw or 1 (see experiment::Reduction)
};

/// Where the time of the last step went, in seconds of a steady clock.
struct StepTimes {
  std::vector<double> computeOfRank;  ///< forward and backward of each local rank
  double collective = 0.0;            ///< reducing dense gradients over ranks
  double update = 0.0;                ///< merging and applying gradients
};

/// A graph compiled for a mesh and a capacity: nodes in order, all buffers allocated up front, the
/// counts of each step given at call time. Running it allocates nothing.
///
/// A training step is two segments with the collectives between them: (1) every rank computes
/// forward and backward on its slice of the global batch, and ids are grouped by row; (2) gradients
/// of dense parameters are summed over ranks in rank order, those of tables by row in the order of
/// the batch, and applied. Values live once per memory space and ranks own row slices of them, so
/// the merged gradient of a table is the same bits for any number of local ranks.
///
/// Errors   InvalidArgument if the rows exceed the capacity, if ids, labels or weights are not as
///          many as the rows, or if train() is called on a plan made for kForward.
/// Thread   one caller at a time.
class StepPlan {
 public:
  /// `targets` are the values that must be computed; for kTrain the loss. `parameters` are those of
  /// the graph, in order, and outlive the plan; so do mesh, workers and communicator.
  StepPlan(const Graph& graph, std::span<Parameter> parameters, const mesh::DeviceMesh& mesh,
           mesh::Communicator& communicator, Workers& workers, std::vector<Value> targets,
           std::int64_t capacityRows, PlanPurpose purpose);
  ~StepPlan();

  /// One forward pass over the batch; sums of errors if the targets include a loss.
  tensor::ErrorSums forward(const StepInput& input);
  /// One training step; `step` counts from 1 over the whole run.
  Result<tensor::ErrorSums> train(const StepInput& input, std::int64_t step);
  /// Rows of a target after forward(), [rows, cols].
  [[nodiscard]] const float* output(Value value) const;
  /// Bytes of all buffers of this plan.
  [[nodiscard]] std::uint64_t bytes() const;

  /// The same number, before a plan exists.
  static std::uint64_t estimateBytes(const Graph& graph, const std::vector<Value>& targets,
                                     std::int64_t capacityRows, int ranks, PlanPurpose purpose);
  /// Of the last step or forward pass.
  [[nodiscard]] const StepTimes& times() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parapet::nn

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/table_routes.h"
#include "engine/nn/lookup_rows.h"
#include "engine/nn/plan_layout.h"
#include "engine/nn/step_input.h"

namespace parapet::nn {

/// Where the time of the last step went, in seconds of a steady clock.
struct StepTimes {
  /// Forward and backward of each local rank, with the nodes that all ranks run together. Of a
  /// device with a stream all that it works on, its updates too, but for what an exchange waits
  /// for.
  std::vector<double> computeOfRank;
  double collective = 0.0;  ///< exchanging rows and gradients, adding up dense gradients
  double update = 0.0;      ///< merging and applying gradients
  /// Pieces that devices recorded, and those of them that they ran as one: see tensor::Recording.
  std::int64_t pieces = 0, replayed = 0;
};

/// A graph compiled for a mesh and a capacity: nodes in order, all buffers allocated up front, the
/// counts of each step given at call time. Running it allocates nothing.
///
/// A step is a list of segments between meetings of the ranks: rows of sharded tables come from
/// their owners; slices of the batch compute forward and backward, meeting where a node works on
/// the whole batch; gradients of dense parameters are summed over slices in their order, those of
/// tables by row, and applied. Values live once per memory space and slices own rows of them, so
/// the merged gradient of a replicated table is the same bits for any number of local ranks.
///
/// Errors   InvalidArgument if the rows exceed the capacity, if ids, labels or weights are not as
///          many as the rows, or if train() is called on a plan made for kForward. kDevice or
///          kPeer, naming the rank, if one fails, throws or does not answer within waitLimit():
///          then nothing runs on these ranks any more, and every later call says the same.
/// Thread   one caller at a time.
class StepPlan {
 public:
  /// How rows of sharded tables are exchanged; it changes no bit.
  struct Exchange {
    bool stackTables;  ///< tables with the same sharding share one
    bool overlap;      ///< ids of the next batch are sorted while a step computes
  };
  /// A batch among those whose gradients make one update.
  struct Part {
    std::int64_t index = 0;  ///< from 0
    bool isLast = true;      ///< the update follows
  };
  /// `targets` are the values that must be computed; for kTrain the losses. `parameters` are those
  /// of the graph, in order, and outlive the plan; so do mesh, workers and communicator.
  /// `idsPerRow`: max. ids of an example by feature; missing: 1. `batchesPerStep`: most parts of a
  /// step.
  StepPlan(const Graph& graph, std::span<Parameter> parameters, const mesh::DeviceMesh& mesh,
           mesh::Communicator& communicator, Workers& workers, std::vector<Value> targets,
           std::int64_t capacityRows, PlanPurpose purpose, std::vector<std::int64_t> idsPerRow = {},
           const Exchange& exchange = {true, true}, int batchesPerStep = 1);
  ~StepPlan();

  /// One forward pass over the batch.
  Status forward(const StepInput& input);
  /// One training step; `step` counts from 1 over the whole run. `next`, if it is known, will be
  /// the input of the next call: while this step computes, its ids are sorted by shard.
  ///
  /// A step of several parts is called once for each; weights change with the last, by the gradient
  /// of all their examples as one batch:
  ///
  ///   g = Σ_parts Σ_examples w·∂ℓ / Σ_parts D    D: the denominator of the first loss; 1 of a sum
  ///
  /// So parts may be of different sizes. Losses must have the same reduction.
  Status train(const StepInput& input, std::int64_t step, const StepInput* next = nullptr,
               const Part& part = {0, true});

  // Results of the last step or forward pass:

  /// Sums by loss of the graph; a loss that is no target has 0.
  [[nodiscard]] std::span<const LossSums> losses() const;
  /// Rows of a target, [rows, cols].
  [[nodiscard]] const float* output(Value value) const;
  /// The rows that the last step had of a target.
  [[nodiscard]] std::span<const float> outputRows(Value value) const;
  [[nodiscard]] const StepTimes& times() const;
  /// False if the last train() made a weight NaN or infinite, whatever its loss was.
  [[nodiscard]] bool keptWeightsFinite() const;
  /// Counts of a lookup of the graph.
  [[nodiscard]] const FeatureCounts& counts(std::size_t lookup) const;
  /// How the ids of sharded tables went to their shards, a stack of tables each.
  [[nodiscard]] std::vector<const mesh::TableRoutes*> routes() const;

  /// Bytes of all buffers of this plan.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Σ over the losses with a denominator of weight·numerator/denominator; NaN where none has one.
double totalLoss(const Graph& graph, std::span<const LossSums> losses);

}  // namespace parapet::nn

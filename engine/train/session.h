// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/data/batches.h"
#include "engine/data/dataset.h"
#include "engine/data/shape/split.h"
#include "engine/experiment/document.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/step_plan.h"
#include "engine/nn/two_tower.h"
#include "engine/retrieval/model_snapshot.h"

namespace parapet::retrieval {
enum class Part;
}

namespace parapet::train {

/// A model on its mesh: parameters, plans and workers of one experiment over one data set.
/// Training, evaluation, checkpoints and snapshots all go through it.
///
/// Thread   one caller at a time.
class Session {
 public:
  /// Errors   kInvalidDocument (see buildTwoTower, DeviceMesh), InternalError if memory is refused.
  static Result<std::unique_ptr<Session>> create(const experiment::Experiment& experiment,
                                                 std::shared_ptr<const data::Dataset> dataset,
                                                 int threads);
  ~Session();

  [[nodiscard]] const data::Dataset& dataset() const;
  [[nodiscard]] const mesh::DeviceMesh& mesh() const;
  [[nodiscard]] const nn::TwoTower& model() const;
  [[nodiscard]] std::span<nn::Parameter> parameters();
  [[nodiscard]] Workers& workers();
  /// Rows of a global batch.
  [[nodiscard]] std::int64_t batchRows() const;

  /// A loader over a part of the split with this model's columns, in the document's order. Parts
  /// for evaluation are read without dropping, in an order that never changes unless the split
  /// draws their rows anew for every epoch.
  [[nodiscard]] std::unique_ptr<data::BatchLoader> loader(const data::Split& split,
                                                          retrieval::Part part) const;
  /// One training step; `step` from 1. Allocates nothing.
  Result<tensor::ErrorSums> train(const data::Batch& batch, std::int64_t step);
  /// Where the time of the last train() went.
  [[nodiscard]] const nn::StepTimes& times() const;
  /// Errors of a batch without training.
  tensor::ErrorSums evaluate(const data::Batch& batch);
  /// Query and candidate vectors of all rows, after the towers.
  [[nodiscard]] retrieval::ModelSnapshot snapshot();

  /// Weights, slots and vocabularies as named tensors: views valid until the next step.
  [[nodiscard]] std::vector<checkpoint::TensorView> tensors() const;
  /// Takes weights and slots from a checkpoint. kData error naming the tensor that is missing or
  /// has another shape; nothing is changed then.
  Status load(const checkpoint::Checkpoint& checkpoint);
  /// False as soon as one weight is NaN or infinite.
  [[nodiscard]] bool weightsFinite() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Rows of every vocabulary of the experiment in an imported data set.
std::map<std::string, std::int64_t> vocabularySizes(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset);
/// Global batch rows of an experiment on `ranks` devices.
std::int64_t globalBatchRows(const experiment::Batch& batch, std::int64_t ranks);

}  // namespace parapet::train

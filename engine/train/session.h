// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/data/dataset/batches.h"
#include "engine/data/dataset/dataset.h"
#include "engine/data/split/split.h"
#include "engine/experiment/document.h"
#include "engine/mesh/communicator.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/model.h"
#include "engine/nn/step_runner.h"
#include "engine/retrieval/model_snapshot.h"
#include "engine/train/commands.h"
#include "engine/train/entity_inputs.h"
#include "engine/train/resolved_model.h"

namespace parapet::train {

/// Rows of a snapshot that are computed at a time.
inline constexpr std::int64_t kSnapshotRows = 4096;
/// Fewer where an example is a sequence: as many positions.
inline std::int64_t snapshotRows(const nn::Graph& graph) {
  return std::max<std::int64_t>(1, kSnapshotRows / graph.longestSequence());
}

/// A model on its mesh: parameters, plans and workers of one experiment over one data set.
/// Training, evaluation, checkpoints and snapshots all go through it.
///
/// Where several processes share the mesh, each has a session: one of them drives, and sends a
/// command for everything in which processes meet to the others, which follow() it.
///
/// Thread   one caller at a time.
class Session {
 public:
  enum class Use {
    kTraining,
    kQuestions,  ///< evaluation, vectors, tensors: it has no plan that trains
  };
  /// `resolved` is the experiment on its data; `communicators` makes that of its ranks. Devices
  /// with memory of their own hold at most the capacities of the plan, see
  /// mesh::DeviceMesh::within. Throws data::PassStopped once `stop` fires.
  ///
  /// Errors   kData for initial weights that do not fit, those of `communicators`, InternalError if
  ///          memory cannot be allocated, or not within a capacity.
  static Result<std::unique_ptr<Session>> create(const experiment::Experiment& experiment,
                                                 std::shared_ptr<const data::Dataset> dataset,
                                                 ResolvedModel resolved, int threads,
                                                 const mesh::CommunicatorFactory& communicators,
                                                 Use use = Use::kTraining,
                                                 const std::stop_token& stop = {});
  ~Session();

  /// Drives: sends the commands of what is asked of this session to the other processes.
  void driveBy(CommandSink sink);
  /// Does what the process that drives asks for, until it ends the run.
  ///
  /// Errors   those of the source and of what is asked; kPeer for bytes that are no command.
  Status follow(const CommandSource& source);

  [[nodiscard]] const experiment::Experiment& experiment() const;
  [[nodiscard]] const data::Dataset& dataset() const;
  [[nodiscard]] const std::shared_ptr<const data::Dataset>& sharedDataset() const;
  /// The model that create() was given; its mesh has the limits of this session.
  [[nodiscard]] const ResolvedModel& resolved() const;
  [[nodiscard]] const mesh::DeviceMesh& mesh() const;
  [[nodiscard]] const nn::Model& model() const;
  [[nodiscard]] std::span<nn::Parameter> parameters();
  [[nodiscard]] Workers& workers();
  /// The factory that create() was given.
  [[nodiscard]] const mesh::CommunicatorFactory& communicators() const;
  /// Rows of a global batch; sequences of one that trains, where examples share them.
  [[nodiscard]] std::int64_t batchRows() const;

  /// A loader over a part of the split with this model's columns, in the document's order. Parts
  /// for evaluation are read without dropping, in an order that never changes unless the split
  /// reshuffles them for every epoch.
  /// `more` are columns that follow the model's.
  [[nodiscard]] std::unique_ptr<data::BatchLoader> loader(
      const data::Split& split, experiment::SplitPart part,
      const std::vector<std::string>& more = {}) const;
  /// A loader over any rows, in one order.
  [[nodiscard]] std::unique_ptr<data::BatchLoader> loader(
      data::RowSet rows, const std::vector<std::string>& more = {}) const;
  /// Sets the steps of the run, which learning rates depend on where the document says so. Without
  /// it a decay over the run stays at its full rate.
  void useRunSteps(std::int64_t steps);
  /// Learning rate of the experiment's optimizer at a step (from 1).
  [[nodiscard]] double learningRate(std::int64_t step) const;
  /// One training step; `step` from 1. `next` is the batch of the next call, if it is known. With
  /// `optimizer.accumulate_steps` a step is of several batches, `part` says of which: see
  /// nn::StepRunner::train. Allocates nothing. InvalidArgument if it is one for kQuestions.
  Status train(const data::Batch& batch, std::int64_t step, const data::Batch* next = nullptr,
               const nn::StepRunner::Part& part = {0, true});
  /// The part of a step that a batch of an epoch is, where steps are counted from batch `first` on.
  /// The last batch of an epoch ends its step.
  [[nodiscard]] nn::StepRunner::Part partOf(const data::Batch& batch, std::int64_t first,
                                            std::int64_t batchesPerEpoch) const;
  /// Losses and predictions of a batch without training, of at most Task::evaluationRows().
  Status evaluate(const data::Batch& batch);

  // Results of the last train() or evaluate():

  /// Sums by head of the model.
  [[nodiscard]] std::span<const nn::LossSums> losses() const;
  /// The loss of the batch: Σ over the heads of weight·numerator/denominator.
  [[nodiscard]] double loss() const;
  /// Where the time of the last train() went.
  [[nodiscard]] const nn::StepTimes& times() const;
  /// The current temperature of the loss; nullopt unless it is trained.
  [[nodiscard]] std::optional<double> temperature() const;
  /// False if the last train() made a weight NaN or infinite, whatever its loss was.
  [[nodiscard]] bool keptWeightsFinite() const;
  /// Statistics of the ids of the last train(), by lookup of the graph.
  [[nodiscard]] const nn::FeatureCounts& counts(std::size_t lookup) const;
  /// How these ids were routed to the shards of sharded tables.
  [[nodiscard]] std::vector<const mesh::TableRoutes*> routes() const;
  /// Predictions of a head, one per row; under bce, which has them after train(), too, logits.
  [[nodiscard]] const float* predictions(std::size_t head) const;

  /// The training rows, from which snapshots take the features of users and items besides their
  /// ids, losses with negatives the frequencies of items, and users their histories. Before the
  /// first loader, train() or evaluate(). Throws data::PassStopped once `stop` fires.
  void useHistory(const data::RowSet& trainingRows, const std::stop_token& stop = {});
  /// The rows that useHistory() was given; none before.
  [[nodiscard]] const data::RowSet& history() const;
  /// The histories that the model reads; see useHistory().
  [[nodiscard]] const Histories& histories();
  /// One of Task::outputs() for some rows, [rows of the output, width], or any other value of the
  /// graph for one example, whose plan is kept until another is asked for. Valid until the next
  /// call.
  Result<std::span<const float>> compute(nn::Value output, const nn::StepBatch& input);
  /// Features of queries and items that need not occur together in the data; see useHistory().
  [[nodiscard]] const EntityInputs& entityInputs();
  /// A copy of the model that can be asked; see Task::snapshot.
  Result<retrieval::ModelSnapshot> snapshot(const std::stop_token& stop = {});

  // Vectors of a retrieval model, for evaluation; throw data::PassStopped once `stop` fires:

  /// [items, D], of all rows of the vocabulary.
  Result<std::vector<float>> itemVectors(const std::stop_token& stop = {});
  /// [users, D], only for a model whose queries have no context.
  Result<std::vector<float>> queryVectors(std::span<const std::int32_t> users,
                                          const std::stop_token& stop = {});
  /// [rows, D], each in its own context; valid until the next call.
  Result<std::span<const float>> queryVectors(const data::Batch& batch);

  /// nn::gatherRows of one of parameters(), from all processes; DeviceFailure if one fails.
  void gatherRows(const nn::Parameter& parameter, int slot, std::span<float> out);
  /// nn::scatterRows into one of parameters(), in all processes.
  void scatterRows(nn::Parameter& parameter, int slot, std::span<const float> in);
  /// Weights, slots and vocabularies as named tensors, independent of the mesh: views valid until
  /// the next step or the next call.
  [[nodiscard]] std::vector<checkpoint::TensorView> tensors();
  /// Takes weights and slots from a checkpoint; one for kQuestions goes without slots that are not
  /// there. kData error naming the tensor that is missing or has another shape; nothing is changed
  /// then.
  Status load(const checkpoint::Checkpoint& checkpoint);
  /// Steps after which the slots of parameters began, by name; those of the first step left out. A
  /// checkpoint carries them at "slots_since" of its trainer state.
  [[nodiscard]] nlohmann::json slotsSince() const;

  /// Parameters that keep what create() gave them.
  struct TakenOver {
    std::vector<std::string> newSlots;    ///< whose optimizer differs from that of the checkpoint
    std::vector<std::string> newWeights;  ///< a trained temperature that the checkpoint lacks
  };
  /// Takes the weights of a checkpoint of another run, and the optimizer slots where the optimizer
  /// is of the same kind; `source` is the document of that run.
  ///
  /// Errors   kInvalidDocument with the pointer of a table or layer that does not fit (both
  ///          shapes), or of a vocabulary whose rows have other ids; nothing is changed then.
  Result<TakenOver> takeOver(const checkpoint::Checkpoint& checkpoint,
                             const experiment::Experiment& source);

  /// Rows of a table that have a raw id, and how many of them another run knows.
  struct WarmRows {
    std::int64_t found = 0, rows = 0;
  };
  /// Takes the rows of a table as its warm_start says, matched by raw id; row 0 too where both have
  /// it for unknown ids. `source` is the document of the run of the checkpoint.
  ///
  /// Errors   kInvalidDocument: a table that is not there or has another width; kData: a checkpoint
  ///          without ids.
  Result<WarmRows> warmStart(std::size_t table, const checkpoint::Checkpoint& checkpoint,
                             const experiment::Experiment& source);

  /// Takes the weights of a file in the layout of BERT, and returns what there is to say about it.
  ///
  /// Errors   see matchBert; kData for weights that are NaN or infinite. Nothing is changed then.
  Result<std::vector<std::string>> takeBert(const checkpoint::SafetensorsFile& file);

  /// The first of tensors() with a value that is NaN or infinite, a weight or a slot of an
  /// optimizer; "" if there is none. One pass over all of them.
  [[nodiscard]] std::string nonFiniteTensor();

  struct State;

 private:
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Steps of an epoch (from 1) over the batches of a loader, so many at most a step.
std::int64_t stepsPerEpoch(const data::BatchLoader& loader, std::int64_t batchesPerStep,
                           std::int64_t epoch = 1);
/// Steps of a run.
std::int64_t stepsOfRun(const data::BatchLoader& loader, const experiment::Experiment& experiment);
/// Rows of every vocabulary of the experiment in an imported data set.
std::map<std::string, std::int64_t> vocabularySizes(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset);
/// Max. ids per row of each column of a model; 1 for columns with a single id per row, or none.
std::vector<std::int64_t> longestBags(const data::Dataset& dataset,
                                      const experiment::Experiment& experiment,
                                      const std::vector<std::string>& columns);
/// Global batch rows of an experiment on `ranks` devices, or sequences.
std::int64_t globalBatchRows(const experiment::Batch& batch, std::int64_t ranks);

}  // namespace parapet::train

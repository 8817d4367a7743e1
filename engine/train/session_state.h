// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/train/entity_inputs.h"
#include "engine/train/session.h"
#include "engine/train/step_inputs.h"
#include "engine/train/vocabulary_tensors.h"

namespace parapet::train {

/// The state of a session, shared by its source files.
struct Session::State {
  experiment::Experiment experiment;
  std::shared_ptr<const data::Dataset> dataset;
  const ResolvedModel resolved;
  const mesh::DeviceMesh& mesh = resolved.mesh;
  const nn::Model& model = *resolved.model;
  std::vector<nn::Parameter> parameters;
  std::unique_ptr<Workers> workers;
  mesh::CommunicatorFactory communicators;
  std::unique_ptr<mesh::Communicator> communicator;
  /// Among the first ranks of the processes; null in one process.
  std::unique_ptr<mesh::Communicator> betweenProcesses{};
  CommandSink sink{};  ///< of the process that drives
  const std::int64_t batchRows = resolved.batchRows;
  experiment::RunExtent extent;
  std::unique_ptr<nn::StepRunner> trainRunner;  ///< null of a session for questions
  std::unique_ptr<nn::StepRunner> evaluateRunner;
  struct OutputRunner {
    nn::Value output;
    std::unique_ptr<nn::StepRunner> runner;
  };
  std::vector<OutputRunner> outputRunners;  ///< of Task::outputs()
  OutputRunner asked{};                     ///< of another value; see Session::compute()
  VocabularyTensors vocabularies;
  nn::StepRunner* last = nullptr;      ///< the one that ran last
  bool isLoaded = false;               ///< weights are those of a checkpoint
  data::RowSet history;                ///< training rows, for EntityInputs
  std::optional<Histories> histories;  ///< of the model, once they were needed
  std::optional<EntityInputs> entities;
  std::unique_ptr<StepInputs> inputs;        ///< of the task, once rows are known; may be null
  std::vector<std::vector<float>> gathered;  ///< arrays of sharded tables for tensors()

  std::unique_ptr<nn::StepRunner> runner(const nn::StepTask& task) {
    return std::make_unique<nn::StepRunner>(model.graph, parameters, mesh, *communicator, *workers,
                                            task);
  }
  State(const experiment::Experiment& document, std::shared_ptr<const data::Dataset> data,
        ResolvedModel decided)
      : experiment(document), dataset(std::move(data)), resolved(std::move(decided)) {}
  Status makeParameters(const std::stop_token& stop);
  /// Makes each number the sum of those of all processes; DeviceFailure if one fails.
  void addUp(std::span<std::int32_t> numbers) const;
  /// Gives all processes the elements that one of them has, bit for bit.
  void addUpBits(std::span<float> elements) const;
  /// Asks the other processes to do what this one is about to do.
  Status ask(const Command& command) { return sink ? sink(command) : Status(); }
  /// ask() that throws DeviceFailure if a process cannot be reached.
  void require(const Command& command);
  [[nodiscard]] nn::ParameterIndex indexOf(const nn::Parameter& parameter) const {
    return static_cast<nn::ParameterIndex>(&parameter - parameters.data());
  }
  void tellSlotsSince();
  /// A pass of the runner of an output.
  Status forward(nn::StepRunner& runner, nn::Value output, const nn::StepBatch& input);
  /// The runner that trains; InvalidArgument if there is none.
  [[nodiscard]] nn::StepRunner& training() const;
  /// Fits the transforms of dense features, unless a checkpoint has said what they are.
  void fitTransforms(Session& session, const data::RowSet& trainingRows,
                     const std::stop_token& stop);
  void restoreSlotsSince(const checkpoint::Manifest& manifest);
  /// The input of a step. `key` decides which extra negatives or masks it has.
  nn::StepBatch input(const data::Batch& batch, const StepInputs::Key& key);
  /// Vectors of entities without the other side.
  Result<std::vector<float>> tower(nn::Value output, std::span<const std::int32_t> ids,
                                   const std::stop_token& stop);
  /// The runner of one of Task::outputs(), or of another value; one of another value replaces the
  /// one before.
  nn::StepRunner& runnerOf(nn::Value output);
  /// The histories that the model reads; `trainingRows` are counted the first time.
  const Histories& historiesOf(const data::RowSet& trainingRows);
  EntityInputs& entityInputs();
};

}  // namespace parapet::train

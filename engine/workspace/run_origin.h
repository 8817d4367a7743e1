// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/train/training_progress.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {

/// A checkpoint of another run, and the document of that run.
struct SourceRun {
  experiment::Experiment experiment;
  checkpoint::Checkpoint checkpoint;
};

/// The weights that a run begins with besides its initializers, as its document says: /training/fork, the
/// warm_start of its tables, and /model/weights.
struct RunOrigin {
  std::optional<SourceRun> fork;
  std::map<std::size_t, SourceRun> tables;                       ///< by table of the document
  std::shared_ptr<const checkpoint::SafetensorsFile> weights{};  ///< /model/weights; null: none

  [[nodiscard]] bool empty() const { return !fork && tables.empty() && !weights; }
};

/// Opens what a document names, and writes the whole ids and the steps into it, so that it means the
/// same checkpoints when it is read again.
///
/// Errors   kInvalidDocument at the pointer: a run or step that is not there (naming the steps that
///          are), a fork of whose epochs none is left; kData for damaged checkpoints.
Result<RunOrigin> openOrigin(const Shared& shared, experiment::Experiment& experiment,
                             const std::stop_token& stop = {});

/// Finds the origin as far as it is seen without opening a checkpoint, and what of the document
/// does not fit the other's tables and layers. `rows`: of the vocabularies, −1 for those that are
/// not known.
std::vector<experiment::Problem> checkOrigin(const Shared& shared,
                                             const experiment::Experiment& experiment,
                                             const std::map<std::string, std::int64_t>& rows);

/// Whether a fork goes on within the epoch of its checkpoint.
train::TrainingProgress::EpochPosition forkPosition(const experiment::Experiment& experiment,
                                                    const data::Dataset& dataset,
                                                    const SourceRun& source);

/// Gives a new session the weights of its origin, and returns what there is to say about it.
Result<std::vector<std::string>> beginSession(train::Session& session,
                                              const experiment::Experiment& experiment,
                                              const RunOrigin& origin);

}  // namespace parapet::workspace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/experiment/document.h"
#include "engine/experiment/problem.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/planner.h"
#include "engine/nn/model.h"
#include "engine/nn/plan_request.h"
#include "engine/nn/space.h"

namespace parapet::train {

/// Where a table lay before, and why: a run that goes on keeps its placements.
struct KeptPlacement {
  experiment::Placement placement = experiment::Placement::kReplicated;
  std::vector<std::string> axes;
  std::string device;  ///< kTable only
  std::string reason;
};

/// A document and its data, decided: the mesh, the model with its widths, where each table lies and
/// why, what each memory space holds and how long a step takes. A session is made of it and decides
/// nothing itself; what people are shown before a run, and find with it later, is this.
struct ResolvedModel {
  mesh::DeviceMesh mesh;
  std::shared_ptr<const nn::Model> model;
  std::vector<experiment::Table> tables;      ///< of the document, none of them `auto`
  std::vector<mesh::Sharding> placed;         ///< by parameter of the model, over the ranks
  std::vector<mesh::Sharding> shardings;      ///< as the memory spaces hold the tables
  std::vector<std::int64_t> idsPerRow;        ///< max. ids of an example, by column of the model
  std::int64_t batchRows = 1;                 ///< of a global batch
  mesh::ShardingPlan plan;                    ///< reasons, bytes and times of training steps
  std::vector<std::int64_t> evaluationBytes;  ///< by rank: buffers of the plans that do not train

  /// For the store and the manifest: devices, shape, axes, processes, whether each device has a memory of
  /// its own ("separate") or some share one ("shared"); spaces with their bytes; tables with
  /// placement, devices and reason; step_seconds, batch_rows and the assumptions.
  [[nodiscard]] nlohmann::json toJson() const;
};

/// Facts that a model is resolved with besides the document.
struct ResolveInput {
  mesh::DeviceMesh mesh;    ///< may be hypothetical
  mesh::Hardware hardware;  ///< the devices of the mesh, in order
  std::map<std::string, std::int64_t> vocabularyRows;
  /// Statistics of id columns; those that are missing have one id an example.
  std::map<std::string, nn::ColumnIds> columns{};
  const data::Dataset* dataset = nullptr;       ///< for the longest bags; null: those of `columns`
  std::map<std::string, KeptPlacement> kept{};  ///< by table, instead of what a planner would say
};

struct ResolveOutcome {
  /// Missing if the tables cannot be placed at all; there even if room is missing.
  std::optional<ResolvedModel> resolved;
  std::shared_ptr<const nn::Model> model;  ///< null if the document describes none
  std::vector<experiment::Problem> problems;
};

/// Decides. The same for the same document and input; nothing is timed.
///
/// Problems   of the model (see nn::buildModel), of ops that a device lacks, of placements that the
///            mesh does not allow, of room.
ResolveOutcome resolve(const experiment::Experiment& experiment, ResolveInput input);

/// Resolves another document with the same tables, on the same mesh with the same placements.
///
/// Errors   those of nn::buildModel.
Result<ResolvedModel> rebuilt(const ResolvedModel& resolved,
                              const experiment::Experiment& experiment,
                              const data::Dataset& dataset);

/// The tasks of a session: what trains, the evaluation of a batch, those of Task::outputs().
std::vector<nn::StepTask> sessionTasks(const experiment::Experiment& experiment,
                                       const ResolvedModel& resolved);

/// The instructions of a training step, a line each: the same in every memory space.
std::string programText(const experiment::Experiment& experiment, const ResolvedModel& resolved);

/// The placements that toJson() has written, for a run that goes on; none of another mesh.
std::map<std::string, KeptPlacement> keptPlacements(const nlohmann::json& resolved,
                                                    const mesh::DeviceMesh& mesh);

}  // namespace parapet::train

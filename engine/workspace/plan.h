// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/problem.h"
#include "engine/mesh/sharding_plan.h"
#include "engine/train/run_bytes.h"

namespace parapet::workspace {

struct ResolvedExperiment;

struct PlanOptions {
  /// Hardware as a file describes it (mesh::parseHardware); null: the document's devices, on this
  /// machine.
  std::optional<mesh::Hardware> hardware{};
  /// Where the figures of this machine's CPU come from.
  enum class Figures {
    kMeasured,  ///< its profile in the workspace; if there is none it is measured and kept
    kStored,    ///< the same, or those of a machine like it: nothing is timed
  } figures = Figures::kMeasured;
  /// The state of data that were not imported yet.
  enum class Data {
    kAsImported,  ///< a table whose size depends on them is a problem
    kImport,      ///< they are imported
  } data = Data::kAsImported;
};

/// A plan for an experiment. `plan` is filled if nothing is wrong, or if only memory is missing.
struct PlanReport {
  experiment::Findings findings;
  mesh::ShardingPlan plan;
  std::vector<std::int64_t> shape;  ///< of the mesh
  std::vector<std::string> axes;
  std::int64_t batchRows = 0;
  bool idsMeasured = false;  ///< the access distribution was counted in an imported data set
  train::RunMemory besides;  ///< what a run holds besides `plan`
  std::int64_t cachedTableBytes =
      0;                ///< of tables in the host's memory that devices have caches of
  std::string program;  ///< instructions of a step, a line each; see train::programText
  std::shared_ptr<const ResolvedExperiment> resolved;  ///< all of it; null where `plan` is empty

  /// Peak bytes of a run over all devices and the host: the plan, evaluation and
  /// histories.
  [[nodiscard]] std::int64_t peakBytes() const;
};

/// Writes the placements of a plan into the tables of a document whose placement is `auto`.
void applyPlan(experiment::Experiment& experiment, const mesh::ShardingPlan& plan);

}  // namespace parapet::workspace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/problem.h"
#include "engine/mesh/planner.h"

namespace parapet::workspace {

struct PlanOptions {
  /// Hardware as a file describes it (mesh::parseHardware); null: the document's devices, here.
  std::optional<mesh::Hardware> hardware{};
  int threads = 0;  ///< workers that figures of this machine are measured with; 0: the document's
  /// Where the figures of this machine's CPU come from.
  enum class Figures {
    kMeasured,
    kTypical,  ///< of a machine like it
  } figures = Figures::kMeasured;
  /// What is known of data that were not imported yet.
  enum class Data {
    kAsImported,  ///< a table whose size only they tell is a problem
    kImport,      ///< they are imported
  } data = Data::kAsImported;
};

/// A plan for an experiment. `plan` is there if nothing is wrong, or if only room is missing.
struct PlanReport {
  experiment::Findings findings;
  mesh::ShardingPlan plan;
  std::vector<std::int64_t> shape;  ///< of the mesh
  std::vector<std::string> axes;
  std::int64_t batchRows = 0;
  bool idsMeasured = false;  ///< how ids spread was counted in an imported data set
};

/// Puts what a plan decided into the tables of a document that leave it to the planner.
void applyPlan(experiment::Experiment& experiment, const mesh::ShardingPlan& plan);

}  // namespace parapet::workspace
